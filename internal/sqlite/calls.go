package sqlite

import (
	"cmp"
	"context"
	"database/sql"
	"slices"
	"strings"
	"time"

	"drawbridge/internal/history"
)

const (
	columns    = `id, began, took, client, session, tool, action, tab, doc, origin, args, rule, code, error, bytes, page_tool`
	insertCall = `INSERT OR IGNORE INTO calls (` + columns + `) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)`
)

// write writes entries and marks of clients that cleared theirs, all or none.
func (f *file) write(entries []history.Entry, cleared map[string]history.ID) error {
	if len(entries) == 1 && len(cleared) == 0 { // needs no transaction of its own
		return add(f.insert, &entries[0])
	}
	tx, err := f.Begin()
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // of no consequence after Commit
	insert := tx.Stmt(f.insert)
	for i := range entries {
		if err := add(insert, &entries[i]); err != nil {
			return err
		}
	}
	for client, id := range cleared {
		if _, err := tx.Exec(`INSERT INTO cleared (client, id) VALUES (?1, ?2)
			ON CONFLICT (client) DO UPDATE SET id = max(id, excluded.id)`, client, int64(id)); err != nil {
			return err
		}
	}
	return tx.Commit()
}

// add inserts e, with a later ID when another process ended a call in the same
// microsecond.
func add(insert *sql.Stmt, e *history.Entry) error {
	for id := e.ID; ; id++ {
		r, err := insert.Exec(int64(id), e.Time.UnixMicro(), int64(e.Took), e.Client, e.Session, e.Tool, string(e.Action),
			string(e.Tab), e.Doc, string(e.Origin), e.Args, e.Rule, string(e.Code), e.Error, e.Bytes, e.PageTool)
		if err != nil {
			return err
		}
		if n, err := r.RowsAffected(); n > 0 || err != nil {
			return err
		}
	}
}

// clearedBy returns up to where the client has cleared its calls.
func (f *file) clearedBy(ctx context.Context, client string) (history.ID, error) {
	var id history.ID
	err := f.QueryRowContext(ctx, `SELECT coalesce(max(id), 0) FROM cleared WHERE client = ?`, client).Scan(&id)
	return id, err
}

// conditions are those of q in SQL; they say what Query.Matches does.
func conditions(q history.Query, cleared history.ID) (where string, args []any) {
	var all []string
	add := func(cond string, arg any, wanted bool) {
		if wanted {
			all, args = append(all, cond), append(args, arg)
		}
	}
	add("client = ?", q.Client, q.Client != "")
	add("id > ?", int64(cleared), q.Uncleared)
	add("session = ?", q.Session, q.Session != "")
	add("? IN (tool, page_tool)", q.Tool, q.Tool != "")
	add("tab = ?", string(q.Tab), q.Tab != "")
	add("code <> ?", "", q.Failed)
	add("id >= ?", int64(history.IDAt(q.Since)), !q.Since.IsZero())
	add("id < ?", int64(history.IDAt(q.Until)), !q.Until.IsZero())
	add("id < ?", int64(q.Before), q.Before != 0)
	if q.Text != "" {
		like := "%" + strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`).Replace(q.Text) + "%"
		var any []string
		for _, c := range []string{"tool", "page_tool", "origin", "args", "error"} {
			any, args = append(any, c+` LIKE ? ESCAPE '\'`), append(args, like)
		}
		all = append(all, "("+strings.Join(any, " OR ")+")")
	}
	if all == nil {
		return "", nil
	}
	return " WHERE " + strings.Join(all, " AND "), args
}

// find returns up to most entries that q wants, the newest first.
func (f *file) find(ctx context.Context, q history.Query, cleared history.ID, most int) ([]history.Entry, error) {
	where, args := conditions(q, cleared)
	if most <= 0 {
		most = -1
	}
	rows, err := f.QueryContext(ctx, `SELECT `+columns+` FROM calls`+where+` ORDER BY id DESC LIMIT ?`, append(args, most)...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var out []history.Entry
	for rows.Next() {
		e, err := scan(rows)
		if err != nil {
			return nil, err
		}
		out = append(out, e)
	}
	return out, rows.Err()
}

func scan(rows *sql.Rows) (history.Entry, error) {
	var e history.Entry
	var began int64
	err := rows.Scan(&e.ID, &began, &e.Took, &e.Client, &e.Session, &e.Tool, &e.Action, &e.Tab, &e.Doc, &e.Origin,
		&e.Args, &e.Rule, &e.Code, &e.Error, &e.Bytes, &e.PageTool)
	e.Time = time.UnixMicro(began)
	return e, err
}

// count returns how many entries q wants.
func (f *file) count(ctx context.Context, q history.Query, cleared history.ID) (n int, newest history.ID, err error) {
	where, args := conditions(q, cleared)
	err = f.QueryRowContext(ctx, `SELECT count(*), coalesce(max(id), 0) FROM calls`+where, args...).Scan(&n, &newest)
	return n, newest, err
}

// erase deletes what q wants, so that nothing of it stays in the file.
func (f *file) erase(ctx context.Context, q history.Query) (int, error) {
	where, args := conditions(q, 0)
	c, err := f.Conn(ctx)
	if err != nil {
		return 0, err
	}
	defer c.Close()
	if _, err := c.ExecContext(ctx, `PRAGMA secure_delete=on`); err != nil {
		return 0, err
	}
	r, err := c.ExecContext(ctx, `DELETE FROM calls`+where, args...)
	if err != nil {
		return 0, err
	}
	n, err := r.RowsAffected()
	if err != nil {
		return 0, err
	}
	_, err = c.ExecContext(ctx, `PRAGMA incremental_vacuum; PRAGMA wal_checkpoint(truncate)`)
	return int(n), err
}

// merged puts what is not in the file before what is, the newest first, each
// entry once.
func merged(pending, inFile []history.Entry) []history.Entry {
	out := slices.Concat(pending, inFile)
	slices.SortStableFunc(out, func(a, b history.Entry) int { return cmp.Compare(b.ID, a.ID) })
	return slices.CompactFunc(out, func(a, b history.Entry) bool { return a.ID == b.ID && a.Session == b.Session })
}

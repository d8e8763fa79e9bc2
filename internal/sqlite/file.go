package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"modernc.org/sqlite" // also the driver "sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// applicationID is in the header of a history's file, so that no other
// database is taken for one.
const applicationID = 0x64626869

// migrations lead from each version of the file to the next; the version is
// their number. What has been released is never changed.
var migrations = []string{
	`CREATE TABLE calls (
		id INTEGER PRIMARY KEY, -- history.ID: when the call ended
		began INTEGER NOT NULL, -- microseconds since 1970
		took INTEGER NOT NULL,  -- nanoseconds
		client TEXT NOT NULL, session TEXT NOT NULL, tool TEXT NOT NULL, action TEXT NOT NULL,
		tab TEXT NOT NULL, doc INTEGER NOT NULL, origin TEXT NOT NULL,
		args TEXT NOT NULL, rule TEXT NOT NULL, code TEXT NOT NULL, error TEXT NOT NULL, bytes INTEGER NOT NULL
	);
	CREATE INDEX calls_client ON calls (client);
	CREATE TABLE cleared (
		client TEXT PRIMARY KEY,
		id INTEGER NOT NULL -- this call and older ones are hidden from the client
	) WITHOUT ROWID`,
	`ALTER TABLE calls ADD COLUMN page_tool TEXT NOT NULL DEFAULT ''`,
}

// file is an open file.
type file struct {
	*sql.DB
	insert *sql.Stmt
}

// pragmas of every connection. Writing is durable against the end of the
// process with each commit, against the end of the machine with each
// checkpoint; those are made beside the calls.
var pragmas = []string{
	"busy_timeout(250)", "journal_mode(wal)", "synchronous(normal)", "wal_autocheckpoint(0)",
	"journal_size_limit(4194304)", "cache_size(-512)",
}

// firstPragmas are those of the connection that makes the file.
var firstPragmas = append([]string{"auto_vacuum(incremental)"}, pragmas...)

// open opens the file, and creates it and its folder when they are not there.
func open(ctx context.Context, path string, more []string) (*file, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	// Made here for its mode, which the files that SQLite makes beside it take
	// over; and what cannot be written is told by its name.
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err = errors.Join(err, f.Close()); err != nil {
		return nil, err
	}
	if info.Size() == 0 {
		db, err := sql.Open("sqlite", address(path, firstPragmas))
		if err != nil {
			return nil, err
		}
		if err := errors.Join(db.PingContext(ctx), db.Close()); err != nil {
			return nil, err
		}
	}
	db, err := sql.Open("sqlite", address(path, slices.Concat(pragmas, more)))
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(4)
	db.SetMaxIdleConns(2)
	if err = migrate(ctx, db, migrations); err == nil {
		var insert *sql.Stmt
		if insert, err = db.Prepare(insertCall); err == nil {
			return &file{db, insert}, nil
		}
	}
	return nil, errors.Join(err, db.Close())
}

// check reads the whole file.
func (f *file) check(ctx context.Context) error {
	var found string
	if err := f.QueryRowContext(ctx, `PRAGMA quick_check(1)`).Scan(&found); err != nil {
		return err
	}
	if found != "ok" {
		return errors.New(found)
	}
	return nil
}

// passing tells whether an error of a file is none of the file itself: another
// process holds it, or the disk is full.
func passing(err error) bool {
	var e *sqlite.Error
	return errors.As(err, &e) && slices.Contains([]int{sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_FULL}, e.Code()&0xff)
}

// address is what sql.Open takes for the file.
func address(path string, pragmas []string) string {
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") { // C:/…
		path = "/" + path
	}
	u := url.URL{Scheme: "file", Path: path, RawQuery: url.Values{"_pragma": pragmas, "_txlock": {"immediate"}}.Encode()}
	return u.String()
}

// migrate brings the file to the newest version. Other processes may do the
// same at the same time.
func migrate(ctx context.Context, db *sql.DB, steps []string) error {
	if version, err := versionOf(ctx, db, len(steps)); err != nil || version == len(steps) {
		return err
	}
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // of no consequence after Commit
	version, err := versionOf(ctx, tx, len(steps))
	if err != nil {
		return err
	}
	for _, step := range steps[version:] {
		if _, err := tx.ExecContext(ctx, step); err != nil {
			return err
		}
	}
	if _, err := tx.ExecContext(ctx, fmt.Sprintf("PRAGMA application_id=%d; PRAGMA user_version=%d", applicationID, len(steps))); err != nil {
		return err
	}
	return tx.Commit()
}

type querier interface {
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// versionOf fails for a file that is not a history, or a newer one than this
// program knows.
func versionOf(ctx context.Context, q querier, known int) (int, error) {
	var version, id, tables int
	err := q.QueryRowContext(ctx, `SELECT user_version, application_id, (SELECT count(*) FROM sqlite_schema)
		FROM pragma_user_version, pragma_application_id`).Scan(&version, &id, &tables)
	switch {
	case err != nil:
		return 0, err
	case id != applicationID && (tables > 0 || version > 0):
		return 0, errors.New("it is the database of another program")
	case version > known:
		return 0, fmt.Errorf("it was written by a newer drawbridge (version %d of the file, this one knows %d)", version, known)
	}
	return version, nil
}

package sqlite

import (
	"context"
	"time"

	"drawbridge/internal/history"
)

// trimStep is how many entries are deleted in one transaction: a call that
// ends meanwhile waits for no more than that.
const trimStep = 100

// trim deletes some of what is too old or too much, the oldest first, and
// tells whether there may be more to do.
func (f *file) trim(ctx context.Context, oldest time.Time, maxBytes int64) (more bool, err error) {
	if !oldest.IsZero() {
		r, err := f.ExecContext(ctx, `DELETE FROM calls WHERE id IN (SELECT id FROM calls WHERE id < ? ORDER BY id LIMIT ?)`,
			int64(history.IDAt(oldest)), trimStep)
		if err != nil {
			return false, err
		}
		if n, err := r.RowsAffected(); n > 0 || err != nil {
			return err == nil, err
		}
	}
	if maxBytes <= 0 {
		return false, nil
	}
	used, size, err := f.bytes(ctx)
	if err != nil {
		return false, err
	}
	if used > maxBytes {
		r, err := f.ExecContext(ctx, `DELETE FROM calls WHERE id IN (SELECT id FROM calls ORDER BY id LIMIT ?)`, trimStep)
		if err != nil {
			return false, err
		}
		n, err := r.RowsAffected()
		return n > 0, err
	}
	if size > maxBytes { // by pages that are not used any more
		_, err := f.ExecContext(ctx, `PRAGMA incremental_vacuum(100)`)
		return err == nil, err
	}
	return false, nil
}

// bytes returns how much of the file holds something, and its size.
func (f *file) bytes(ctx context.Context) (used, size int64, err error) {
	err = f.QueryRowContext(ctx, `SELECT (page_count - freelist_count) * page_size, page_count * page_size
		FROM pragma_page_count, pragma_freelist_count, pragma_page_size`).Scan(&used, &size)
	return used, size, err
}

// checkpoint moves what was written into the file proper, and stops no one who
// writes or reads. It returns how many pages the log beside the file has.
func (f *file) checkpoint(ctx context.Context) (pages int, err error) {
	var busy, moved int
	err = f.QueryRowContext(ctx, `PRAGMA wal_checkpoint(passive)`).Scan(&busy, &pages, &moved)
	return pages, err
}

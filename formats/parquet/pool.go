package parquet

import (
	"slices"
	"sync"
)

// A pool keeps the newest pages of a flat table for the sessions that share them.
type pool struct {
	*table
	leaves []leaf

	mu     sync.Mutex
	chunks []map[int]*chunk // by row group, then column; nil if nothing is kept
	recent []int            // row groups of which something is kept, the newest last
	unread int              // sessions that nobody has read yet
}

// maxGroups is how many row groups keep pages.
const maxGroups = 2

func newPool(t *table, list []leaf) *pool {
	return &pool{table: t, leaves: list, chunks: make([]map[int]*chunk, len(t.groups))}
}

// shared gives a chunk that neighbouring sessions read, too. Pages are kept for
// the newest row groups only.
func (p *pool) shared(group, col int) *chunk {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.chunks[group] == nil {
		p.chunks[group] = make(map[int]*chunk)
		p.recent = append(p.recent, group)
		if len(p.recent) > maxGroups {
			p.forget(p.recent[0])
			p.recent = p.recent[1:]
		}
	}
	c := p.chunks[group][col]
	if c == nil {
		c = newChunk(p.table, group, &p.leaves[col])
		p.chunks[group][col] = c
	}
	return c
}

// forget lets go of the pages of a row group. Whoever is just reading one of its
// chunks keeps it until the end of the page.
func (p *pool) forget(group int) { p.chunks[group] = nil }

// leave ends the use of the file by one session. The last one to be read takes
// all pages along.
func (p *pool) leave(once *sync.Once) {
	idle := p.done()
	p.mu.Lock()
	defer p.mu.Unlock()
	once.Do(func() { p.unread-- })
	if idle && p.unread <= 0 {
		for _, group := range p.recent {
			p.forget(group)
		}
		p.recent = slices.Delete(p.recent, 0, len(p.recent))
	}
}

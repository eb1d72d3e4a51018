package parquet

import (
	"encoding/binary"
	"errors"
	"io"

	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"groundhog/formats"
)

// The library believes the sizes in page headers and in the footer, and takes
// the memory that they ask for. One damaged byte can ask for gigabytes, so this
// file looks at every size before the library does.

// maxGrowth is how much larger than its compressed form a page may be: zstd
// needs some four bytes for each 128 KiB of one byte repeated.
const maxGrowth = 40_000

// checkFooter compares the length of the footer with that of the file.
func checkFooter(r io.ReaderAt, size int64) error {
	var tail [8]byte
	if size < 12 {
		return damaged("a file of %d bytes", size)
	}
	if _, err := r.ReadAt(tail[:], size-8); err != nil {
		return err
	}
	if string(tail[4:]) != "PAR1" {
		return damaged("the file does not end in a footer: it may be cut off")
	}
	if n := int64(binary.LittleEndian.Uint32(tail[:])); n > size-12 {
		return damaged("the footer cannot be read: it has %d bytes, the file %d", n, size)
	}
	return nil
}

// checkPlaces makes sure that what the footer says of a column lies in the file.
func checkPlaces(c *format.ColumnChunk, size int64) error {
	meta := &c.MetaData
	for _, s := range [...]struct {
		what        string
		off, length int64
	}{
		{"pages", chunkStart(meta), meta.TotalCompressedSize},
		{"page index", c.OffsetIndexOffset, int64(c.OffsetIndexLength)},
		{"page index", c.ColumnIndexOffset, int64(c.ColumnIndexLength)},
	} {
		if s.off < 0 || s.length < 0 || s.off > size || s.length > size-s.off {
			return damaged("%d bytes of %s at byte %d of a file of %d", s.length, s.what, s.off, size)
		}
	}
	return nil
}

// chunkStart is where the first page of a column is.
func chunkStart(meta *format.ColumnMetaData) int64 {
	if d := meta.DictionaryPageOffset; d > 0 && d < meta.DataPageOffset {
		return d
	}
	return meta.DataPageOffset
}

// checkPages reads the headers of all pages of a column, and nothing else.
func checkPages(r io.ReaderAt, meta *format.ColumnMetaData) error {
	const window = 16 << 10
	var protocol thrift.CompactProtocol
	end := chunkStart(meta) + meta.TotalCompressedSize
	values := int64(0)
	var held []byte
	for at, from := chunkStart(meta), int64(0); at < end; {
		if at-from >= int64(len(held)) || at+512 > from+int64(len(held)) {
			held = append(held[:0], make([]byte, min(window, end-at))...)
			if _, err := r.ReadAt(held, at); err != nil && err != io.EOF {
				return err
			}
			from = at
		}
		var h format.PageHeader
		head, err := decodeHeader(protocol, held[at-from:], &h)
		if err != nil && int64(len(held)) < end-from {
			// Some writers put the bounds of large texts into the header.
			held = append(held[:0], make([]byte, end-at)...)
			if _, err := r.ReadAt(held, at); err != nil && err != io.EOF {
				return err
			}
			from = at
			head, err = decodeHeader(protocol, held, &h)
		}
		if err != nil {
			return ended(err)
		}
		at += int64(head)
		packed, size := int64(h.CompressedPageSize), int64(h.UncompressedPageSize)
		if packed < 0 || packed > end-at || size < 0 || size > packed*maxGrowth+formats.HeadSize {
			return damaged("a page of %d bytes, %d compressed, where %d are left", size, packed, end-at)
		}
		n := int64(0)
		switch {
		case h.DataPageHeader.Valid:
			n = int64(h.DataPageHeader.V.NumValues)
		case h.DataPageHeaderV2.Valid:
			n = int64(h.DataPageHeaderV2.V.NumValues)
		case h.DictionaryPageHeader.Valid:
			if d := int64(h.DictionaryPageHeader.V.NumValues); d < 0 || d > size {
				return damaged("a dictionary of %d values in %d bytes", d, size)
			}
		}
		if n < 0 || n > meta.NumValues-values {
			return damaged("a page of %d values, where %d are left", n, meta.NumValues-values)
		}
		values += n
		at += packed
	}
	if values != meta.NumValues {
		return damaged("%d of %d values", values, meta.NumValues)
	}
	return nil
}

func decodeHeader(protocol thrift.CompactProtocol, data []byte, h *format.PageHeader) (n int, err error) {
	if len(data) == 0 {
		return 0, io.ErrUnexpectedEOF
	}
	*h = format.PageHeader{}
	r := protocol.NewReaderFromBytes(data)
	if err := thrift.NewDecoder(r).Decode(h); err != nil {
		return 0, err
	}
	if n := r.BytesRead(); n > 0 {
		return n, nil
	}
	return 0, errors.New("an empty page header")
}

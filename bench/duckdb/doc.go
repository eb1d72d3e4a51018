// Package duckdb has only tests: DuckDB reads what formats/parquet writes, and
// the other way round. It is a module of its own, because DuckDB needs cgo and
// 60 MB of library, and nothing of the main module may import it.
//
//	cd bench/duckdb && go test ./...
package duckdb

// SPDX-License-Identifier: Apache-2.0

// Package document reads clusters from files, as kubectl prints them, and writes decisions as documents: libkarp-io behind
// Go types. Programs that have their objects in memory need only package karp.
package document

/*
#include <stdlib.h>

#include "c_io.h"
*/
import "C"

import (
	"time"
	"unsafe"

	karp "libkarp.dev/go"
)

// Options of reading; nil ones are the defaults.
type Options struct {
	Strict   bool      // add no defaults beyond the API server's own
	Now      time.Time // zero = the Snapshot's, else the latest time stated
	Region   string    // of the built-in catalogue
	Provider string    // "aws", or "" = as needed
	Queued   bool      // what waits for admission is read as if it were admitted: suspended Jobs, Workloads of Kueue …
	Keep     bool      // Digest and Dump of the Input are wanted
	// The version of Karpenter whose providers are used, as SetProfile of karp.Options states it; 0 = the newest.
	PeerVersion uint32
}

// An Input is what was read.
type Input struct {
	Snapshot *karp.Snapshot
	Warnings []string // fields without effect, unknown kinds …
	Method   uint32   // the method that a Snapshot asks for
	Digest   string   // SHA-256 of the canonical Snapshot; with Options.Keep
	Dump     []byte   // the canonical Snapshot itself: by itself enough to repeat a decision elsewhere; likewise
	// The clouds whose types are used, with region and date of prices; "" = other types.
	Catalogue string
	// Operating systems whose licences the prices lack, "Windows"; "" = none.
	Licences string
}

// Close gives the snapshot up. Closing twice is fine; the error is always nil.
func (i *Input) Close() error { return i.Snapshot.Close() }

// A part of the input: a path, or a text with a name.
type part struct {
	name string
	text []byte
	file bool
}

// Read reads files and directories ("-" is standard input) of Kubernetes objects, workloads, Lists and Snapshots, in YAML
// or JSON. Errors name file, line, object and field.
func Read(options *Options, paths ...string) (*Input, error) {
	parts := make([]part, len(paths))
	for i, path := range paths {
		parts[i] = part{name: path, file: true}
	}
	return read(options, parts)
}

// ReadBytes reads one text; the name is what errors call it.
func ReadBytes(options *Options, name string, text []byte) (*Input, error) {
	return read(options, []part{{name: name, text: text}})
}

// A call has the context and the error of one call of the library.
type call struct {
	context *C.karp_context
	fault   C.karp_error
}

func newCall() (*call, error) {
	c := new(call)
	C.karp_error_init(&c.fault, C.sizeof_karp_error)
	return c, c.check(C.karp_context_new(nil, &c.context, &c.fault))
}

func (c *call) free() { C.karp_context_unref(c.context) }

func (c *call) check(status C.karp_status) error {
	if status == C.KARP_OK {
		return nil
	}
	return karp.ErrorAt(unsafe.Pointer(&c.fault), karp.Status(status))
}

// str is a text in C's memory, which free gives back.
func str(s string) C.karp_str {
	if s == "" {
		return C.karp_str{}
	}
	return C.karp_str{ptr: C.CString(s), len: C.size_t(len(s))}
}

func free(s C.karp_str) { C.free(unsafe.Pointer(s.ptr)) }

func goText(s C.karp_str) string { return C.GoStringN(s.ptr, C.int(s.len)) }

// take copies a text of the library and frees it.
func take(text *C.karp_text) []byte {
	defer C.karp_text_free(text)
	return C.GoBytes(unsafe.Pointer(text.ptr), C.int(text.len))
}

func read(options *Options, parts []part) (*Input, error) {
	c, err := newCall()
	if err != nil {
		return nil, err
	}
	defer c.free()
	if options == nil {
		options = new(Options)
	}
	var how C.karp_reader_options
	C.karp_reader_options_init(&how, C.sizeof_karp_reader_options)
	if options.Keep {
		how.keep_documents = 1
	}
	if options.Queued {
		how.queued = 1
	}
	if options.Strict {
		how.strict = 1
	}
	if !options.Now.IsZero() {
		how.now = C.int64_t(options.Now.UnixNano())
	}
	how.peer_version = C.uint32_t(options.PeerVersion)
	how.region, how.provider = str(options.Region), str(options.Provider)
	defer free(how.region)
	defer free(how.provider)
	var reader *C.karp_reader
	if err := c.check(C.karp_reader_new(c.context, &how, &reader, &c.fault)); err != nil {
		return nil, err
	}
	defer C.karp_reader_free(reader)
	for _, p := range parts {
		if err := c.add(reader, p); err != nil {
			return nil, err
		}
	}
	var snapshot *C.karp_snapshot
	if err := c.check(C.karp_reader_finish(reader, &snapshot, &c.fault)); err != nil {
		return nil, err
	}
	input := &Input{Snapshot: karp.SnapshotOf(unsafe.Pointer(snapshot)), Digest: goText(C.karp_reader_digest(reader)),
		Method: uint32(C.karp_reader_method(reader)), Catalogue: goText(C.karp_reader_catalogue_title(reader)),
		Licences: goText(C.karp_reader_missing_licences(reader))}
	for i := C.size_t(0); i < C.karp_reader_warning_count(reader); i++ {
		input.Warnings = append(input.Warnings, goText(C.karp_reader_warning(reader, i)))
	}
	if !options.Keep {
		return input, nil
	}
	var dump C.karp_text
	if err := c.check(C.karp_reader_dump(reader, &dump, &c.fault)); err != nil {
		input.Close()
		return nil, err
	}
	input.Dump = take(&dump)
	return input, nil
}

func (c *call) add(reader *C.karp_reader, p part) error {
	name := C.CString(p.name)
	defer C.free(unsafe.Pointer(name))
	if p.file {
		return c.check(C.karp_reader_add_path(reader, name, &c.fault))
	}
	text := C.CBytes(p.text)
	defer C.free(text)
	return c.check(C.karp_reader_add(reader, C.karp_str{ptr: name, len: C.size_t(len(p.name))},
		C.karp_str{ptr: (*C.char)(text), len: C.size_t(len(p.text))}, &c.fault))
}

// BuiltinCatalogue is the embedded EC2 catalogue of a region: us-east-1, us-west-2 (also that of ""), eu-west-1.
func BuiltinCatalogue(region string) (*karp.Catalogue, error) {
	c, err := newCall()
	if err != nil {
		return nil, err
	}
	defer c.free()
	name := str(region)
	defer free(name)
	var options C.karp_catalogue_options
	C.karp_catalogue_options_init(&options, C.sizeof_karp_catalogue_options)
	options.region = name
	var out *C.karp_catalogue
	if err := c.check(C.karp_catalogue_aws(c.context, &options, &out, &c.fault)); err != nil {
		return nil, err
	}
	return karp.CatalogueOf(unsafe.Pointer(out)), nil
}

// CatalogueFile reads a catalogue: kwok's or the full shape, in JSON or YAML.
func CatalogueFile(path string) (*karp.Catalogue, error) {
	c, err := newCall()
	if err != nil {
		return nil, err
	}
	defer c.free()
	name := C.CString(path)
	defer C.free(unsafe.Pointer(name))
	var out *C.karp_catalogue
	if err := c.check(C.karp_catalogue_read_file(c.context, name, &out, &c.fault)); err != nil {
		return nil, err
	}
	return karp.CatalogueOf(unsafe.Pointer(out)), nil
}

// A Format of documents.
type Format uint32

// Formats; not every document has each of them.
const (
	JSON    Format = C.KARP_FORMAT_JSON
	Text    Format = C.KARP_FORMAT_TEXT
	YAML    Format = C.KARP_FORMAT_YAML
	JSONLog Format = C.KARP_FORMAT_JSON_LOG
	HTML    Format = C.KARP_FORMAT_HTML
)

// WritePlan writes a launch decision. Errors: karp.ErrUnsupported (not in that format), karp.ErrClosed.
func WritePlan(decision *karp.Decision, format Format) ([]byte, error) {
	return new(Input).WritePlan(decision, format)
}

// WriteDisruption writes a disruption decision.
func WriteDisruption(decision *karp.Decision, format Format) ([]byte, error) {
	return new(Input).WriteDisruption(decision, format)
}

// WriteRepack writes a decision of [karp.Snapshot.Repack]. Errors: also karp.ErrNotFound (of another call).
func WriteRepack(decision *karp.Decision, format Format) ([]byte, error) {
	return new(Input).WriteRepack(decision, format)
}

// WritePlan is as the function, and the document has what the program's has of the input: warnings, clouds, the digest if
// it was kept, and which licences the costs lack.
func (i *Input) WritePlan(decision *karp.Decision, format Format) ([]byte, error) {
	return i.write(decision, format, func(c *call, d *C.karp_decision, how *C.karp_write_options, out *C.karp_text) error {
		return c.check(C.karp_write_plan(c.context, d, nil, how, out, &c.fault))
	})
}

// WriteDisruption is as the function, and the document has what the program's has of the input.
func (i *Input) WriteDisruption(decision *karp.Decision, format Format) ([]byte, error) {
	return i.write(decision, format, func(c *call, d *C.karp_decision, how *C.karp_write_options, out *C.karp_text) error {
		return c.check(C.karp_write_disruption(c.context, d, how, out, &c.fault))
	})
}

// WriteRepack is as the function, and the document has what the program's has of the input.
func (i *Input) WriteRepack(decision *karp.Decision, format Format) ([]byte, error) {
	return i.write(decision, format, func(c *call, d *C.karp_decision, how *C.karp_write_options, out *C.karp_text) error {
		return c.check(C.karp_write_repack(c.context, d, how, out, &c.fault))
	})
}

// say gives the options what documents say of the input. What it returns frees that.
func (i *Input) say(how *C.karp_write_options) func() {
	lent := make([]C.karp_str, 0, len(i.Warnings)+3)
	lend := func(text string) C.karp_str {
		lent = append(lent, str(text))
		return lent[len(lent)-1]
	}
	how.catalogue, how.licences, how.digest = lend(i.Catalogue), lend(i.Licences), lend(i.Digest)
	list := C.malloc(C.size_t(len(i.Warnings)+1) * C.sizeof_karp_str)
	warnings := unsafe.Slice((*C.karp_str)(list), len(i.Warnings))
	for k, warning := range i.Warnings {
		warnings[k] = lend(warning)
	}
	how.warnings, how.warning_count = (*C.karp_str)(list), C.size_t(len(i.Warnings))
	return func() {
		C.free(list)
		for _, text := range lent {
			free(text)
		}
	}
}

func (i *Input) write(decision *karp.Decision, format Format,
	run func(c *call, d *C.karp_decision, how *C.karp_write_options, out *C.karp_text) error) ([]byte, error) {
	c, err := newCall()
	if err != nil {
		return nil, err
	}
	defer c.free()
	ptr, leave, err := decision.Enter()
	if err != nil {
		return nil, err
	}
	defer leave()
	var how C.karp_write_options
	C.karp_write_options_init(&how, C.sizeof_karp_write_options)
	how.format = C.uint32_t(format)
	defer i.say(&how)()
	var out C.karp_text
	if err := run(c, (*C.karp_decision)(ptr), &how, &out); err != nil {
		return nil, err
	}
	return take(&out), nil
}

// SPDX-License-Identifier: Apache-2.0

//go:build cgo

package karp

import (
	"errors"
	"testing"
)

func TestVersionsFit(t *testing.T) {
	const built = 1<<16 | 2<<8 | 3
	for _, c := range []struct {
		loaded uint32
		fits   bool
	}{{built, true}, {built + 1, true}, {1<<16 | 9<<8, true}, {built - 1, false}, {2<<16 | 2<<8 | 3, false}, {0, false}} {
		err := versionsFit(built, c.loaded)
		if (err == nil) != c.fits {
			t.Errorf("%x: %v", c.loaded, err)
		}
		if err != nil && !errors.Is(err, ErrUnsupported) {
			t.Errorf("%x: %v", c.loaded, err)
		}
	}
}

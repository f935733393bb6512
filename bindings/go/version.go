// SPDX-License-Identifier: Apache-2.0

package karp

// #include "c.h"
import "C"

import "fmt"

// Version is that of the library in use, "1.0.0".
func Version() string { return C.GoString(C.karp_version()) }

// The library may be newer than the headers this package was compiled with, but of the same major version.
func checkVersion() error {
	return versionsFit(uint32(C.KARP_VERSION_NUMBER), uint32(C.karp_version_number()))
}

func versionsFit(compiled, loaded uint32) error {
	if loaded>>16 == compiled>>16 && loaded >= compiled {
		return nil
	}
	return &Error{Status: ErrUnsupported, Offset: -1, Message: fmt.Sprintf(
		"the library in use is version %d.%d.%d, this program was built for %d.%d.%d",
		loaded>>16, loaded>>8&255, loaded&255, compiled>>16, compiled>>8&255, compiled&255)}
}

package message

import (
	"fmt"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// TestACloneIsEqualAndSharesNothing makes messages of all shapes.
func TestACloneIsEqualAndSharesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := Messages(rapid.SliceOfN(rapid.Custom(drawMessage), 1, 4).Draw(t, "messages"))
		clone := list.Clone()
		if diff := cmp.Diff(list, clone); diff != "" {
			t.Fatalf("(-of +clone):\n%s", diff)
		}
		if path := shared(reflect.ValueOf(list), reflect.ValueOf(clone)); path != "" {
			t.Fatalf("both have the same %s", path)
		}
	})
	for _, list := range []Messages{nil, {}, {nil}, {(*User)(nil)}, {&Assistant{Content: Blocks{nil, (*Text)(nil)}}}} {
		if diff := cmp.Diff(list, list.Clone()); diff != "" {
			t.Errorf("(-of +clone):\n%s", diff)
		}
	}
}

// shared returns the path to something that can be changed and that two equal values
// both have; empty when there is none.
func shared(a, b reflect.Value) string {
	switch a.Kind() {
	case reflect.Interface:
		return shared(a.Elem(), b.Elem())
	case reflect.Pointer:
		if a.IsNil() {
			return ""
		}
		if a.Pointer() == b.Pointer() {
			return a.Type().String()
		}
		return shared(a.Elem(), b.Elem())
	case reflect.Struct:
		for i := range a.NumField() {
			if path := shared(a.Field(i), b.Field(i)); path != "" {
				return a.Type().Field(i).Name + " " + path
			}
		}
	case reflect.Slice:
		if a.Len() > 0 && a.Pointer() == b.Pointer() {
			return a.Type().String()
		}
		for i := range a.Len() {
			if path := shared(a.Index(i), b.Index(i)); path != "" {
				return fmt.Sprintf("[%d] %s", i, path)
			}
		}
	}
	return ""
}

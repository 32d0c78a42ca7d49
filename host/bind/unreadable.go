package bind

import (
	"encoding/json"
	"errors"
	"fmt"
)

// unreadable says in an author's terms why what an author's code gave cannot be read:
// err is what encoding/json said.
func unreadable(what string, err error) error {
	var wrong *json.UnmarshalTypeError
	switch {
	case !errors.As(err, &wrong):
		return fmt.Errorf("%s cannot be read: %w", what, err)
	case wrong.Field == "":
		return fmt.Errorf("%s must not be of type %s", what, wrong.Value)
	}
	return fmt.Errorf("%s: %s must not be of type %s", what, wrong.Field, wrong.Value)
}

package run

import (
	"context"
	"errors"
)

func openHelper(ctx context.Context, l layout, options Options) (starter, error) {
	return nil, errors.New("todo")
}

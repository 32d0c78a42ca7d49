# The commands of this repository. `make test` is what continuous integration
# calls; `make help` lists the rest.

# The race detector needs a C compiler; without one the tests run without it.
RACE := $(if $(shell command -v $$(go env CC)),-race)
# testdata is outside of ./..., and the example world there is a package.
PACKAGES := ./... ./testdata/world
# The rules have run in check, and parse too much to be quick under the race detector.
# The two that take longest begin first, so that the others run beside them.
UNITS = ./host ./cmd/harness $(shell go list ./... | grep -v -e '/harness/internal/' -e '/harness/host$$' -e '/harness/cmd/harness$$')
# What the product does. The rest measures the parts of one package.
BENCHED = ./host ./registry ./jsapi ./jsapi/internal/compile ./jsapi/modules ./worktree ./vfs/run \
	./durable ./agent/prooftest ./durable/internal/ownership ./durable/internal/transcript ./durable/value ./durable/delta
# These test what a process dies of, which the race detector makes too slow.
NORACE := ./jsapi/internal/guard

# Says at the end which tests were skipped and why, which go test does not.
GOTEST := go tool gotestsum --format pkgname-and-test-fails --

.PHONY: help build test check types unit generate bench soak fuzz clean

help: ## list the targets
	@sed -n 's/^\([a-z]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 12

build: ## build bin/harness, a static binary
	CGO_ENABLED=0 go build -trimpath -o bin/harness ./cmd/harness

test: build types check unit ## everything that must pass before a change lands

check: ## formatting, vet, staticcheck and the rules of the repository
	@unformatted=$$(git ls-files -z '*.go' | xargs -0 gofmt -l); \
	if [ -n "$$unformatted" ]; then echo "run gofmt -w on:" $$unformatted; exit 1; fi
	go vet $(PACKAGES)
	go tool staticcheck $(PACKAGES)
	go test -count 1 ./internal/...

types: ## tsc --strict over every TypeScript file of the repository
ifeq ($(shell command -v npm),)
	@echo "types: skipped, there is no npm; the tests that need TypeScript skip too"
else
types: node_modules/.package-lock.json
	npm run --silent types
endif

node_modules/.package-lock.json: package.json package-lock.json
	npm ci --no-audit --no-fund
	@touch $@

unit: ## unit tests and end-to-end scripts, with the race detector
ifeq ($(RACE),)
	@echo "unit: without -race, there is no C compiler"
endif
	$(GOTEST) $(RACE) -timeout 15m $(UNITS)
	$(if $(RACE),$(GOTEST) -timeout 15m $(NORACE))

generate: node_modules/.package-lock.json ## write the generated files anew; tests check that they are current
	go generate ./...
	go test -count 1 ./internal/rules -run TestDocumentsShowWhatTheCodeSays -update

bench: ## benchmarks in one table, beside their floors; BENCHED=./... also has every built-in and global
	go test -run '^$$' -bench . -benchmem -p 1 -timeout 60m $(BENCHED) | go run ./internal/benchtable

soak: ## what is too long for make test: a thousand reloads, long random histories
	HARNESS_SOAK=1 go test -count 1 -timeout 90m -v $$(git grep -l HARNESS_SOAK -- '*_test.go' | xargs -n 1 dirname | sort -u | sed 's|^|./|')

fuzz: ## fuzz each target for a short while: make fuzz FUZZTIME=1m
	@for package in $$(git grep -l '^func Fuzz' -- '*_test.go' | xargs -n 1 dirname | sort -u); do \
		for target in $$(grep -ho '^func Fuzz[A-Za-z0-9_]*' $$package/*_test.go | cut -d ' ' -f 2); do \
			echo "$$package $$target"; \
			go test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(or $(FUZZTIME),20s) ./$$package || exit 1; \
		done; \
	done

clean: ## remove what the other targets made
	rm -rf bin node_modules

# One target for each thing a person does. Every target makes or refreshes .venv first.
PYTHON ?= python3
PY := .venv/bin/python
READING := .venv/.reading
READY := .venv/.ready
TPU := .venv-tpu/bin/python
# Small matrices run faster on one thread, and chapters run side by side.
export OMP_NUM_THREADS ?= 1

.DEFAULT_GOAL := help
.PHONY: help book test test-all check step shake test-tpu lab notebook page chapter format bench gpu study prove \
	slides pdf assignment mark browser release lock

help:  ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "make %-16s %s\n", $$1, $$2}' Makefile

# Building takes a few packages, executing takes all.
book:  ## all pages into _build/html from the stored outputs; what is stale is executed first
	@$(PYTHON) tools/do.py book

test:  ## everything that must hold: code, proofs, the output of every cell, the pages
	@$(PYTHON) tools/do.py test

test-all:  ## that, and what takes long: compiled proofs, all pages and figures, several processes, problem sets
	@$(PYTHON) tools/do.py test --all

check: $(READY)  ## the inner loop, three minutes: what the changes since the last commit can break
	@$(PY) tools/check/check_changes.py

step: $(READY)  ## one step of make test-all: make step NAME=lint, records, unit, nbval, book, pages, proofs, long, site or report
	@$(PY) tools/check/run_tests.py $(NAME)

shake: $(READY)  ## run the chapters on imitated machines: make shake SHAKE="--chapters sgd --machines noise-1 colab"
	$(PY) tools/check/shake.py $(SHAKE)

test-tpu: .venv-tpu/.ready  ## the code beside torch_tpu, in an environment of its own: on a TPU, or what holds without
	$(TPU) -m pytest tests/tpu

lab: $(READY)  ## read and run the chapters in JupyterLab
	.venv/bin/jupyter lab notebooks

notebook: $(READY)  ## execute one chapter into its .ipynb: make notebook NAME=sgd (without NAME: all that are stale)
	$(PY) tools/chapter/notebooks.py run $(NAME)

page: $(READING)  ## look at one page, executing nothing: make page NAME=sgd
	$(PY) tools/pages/build_book.py --page $(NAME)

chapter: $(READY)  ## put a chapter between two others: make chapter NAME=weight_averaging AFTER=big_batches
	$(PY) tools/chapter/new_chapter.py $(NAME) $(AFTER)

format: $(READY)  ## bring the .md and .ipynb of every chapter in step, and format all code, in the chapters too
	$(PY) tools/chapter/first_cell.py
	$(PY) tools/chapter/notebooks.py sync $(NAME)
	$(PY) tools/chapter/notebooks.py format $(NAME)
	$(PY) -m ruff check --fix-only --quiet .
	$(PY) -m ruff format .

bench: $(READY)  ## time and memory of optimizers or of a training step: make bench NAME=numpy_optim, torch_optim or pretrain
	$(PY) benchmarks/$(NAME).py

gpu: $(READY)  ## all that wants one CUDA card, in pieces that are each done once: records in book/cards
	$(PY) benchmarks/gpu.py $(GPU)

study: $(READY)  ## make a recorded run, or go on with one that stopped: make study NAME=batch-size [SIZE=toy] [DEVICE=cuda] [SPREAD=8]
	$(if $(STUDY),,$(error there is no study $(NAME): studies/*/ has $(notdir $(basename $(wildcard studies/*/*.py)))))
	$(PY) -m $(subst /,.,$(basename $(STUDY)))$(if $(SIZE), --size $(SIZE))$(if $(DEVICE), --device $(DEVICE))$(if $(SPREAD), --spread $(SPREAD))

prove: $(READY)  ## check the proofs with Rocq, break the false statements, and write the page of theorems
	$(PY) tools/prover/prove.py

slides: $(READY)  ## the decks into _build/slides, from the built book: make slides [NAME=lars-1] [PDF=1, a page a slide with its notes]
	$(PY) tools/give/slides.py $(NAME)$(if $(PDF), --pdf)

pdf: $(READY)  ## the whole book as one PDF, from the built pages; or a chapter of it: make pdf [NAME=lars]
	$(PY) tools/give/print_book.py $(NAME)

assignment: $(READY)  ## problem sets for a class: make assignment CLASS=2027-spring [NAME=lars]; PRIVATE=../our-course copies their sources
	@$(PY) course/marking/assignment.py $(NAME)$(if $(CLASS), --group $(CLASS))$(if $(PRIVATE), --private $(PRIVATE))

mark: $(READY)  ## mark what a class handed in: make mark NAME=lars CLASS=2027-spring FROM=submissions.zip [ROSTER=roster.csv] [DUE=2027-03-01T12:00]
	@$(PY) course/marking/mark.py $(NAME)$(if $(FROM), "$(FROM)")$(if $(CLASS), --group $(CLASS))$(if $(ROSTER), --roster "$(ROSTER)")$(if $(DUE), --due $(DUE))

browser: $(READING)  ## Pyodide beside the built pages: make browser [PACK=folder]; TEST=1 runs the chapters there: [NAME=sgd | ALL=1]
	$(PY) tools/pages/browser_pack.py $(if $(PACK),--pack $(PACK))
ifdef TEST
	@$(MAKE) $(READY)
	$(PY) tools/check/browser_test.py $(NAME)$(if $(ALL), --all)
endif

release: $(READY)  ## what a version gives away, each file opened: make release, at its tag, or make release DRAFT=1
	$(PY) tools/give/release.py $(if $(DRAFT),--draft)

lock: $(READY)  ## requirements.in -> requirements.txt
	$(PY) -m piptools compile --quiet --upgrade --strip-extras --allow-unsafe --no-emit-index-url \
		--no-emit-find-links --no-emit-trusted-host -o requirements.txt requirements.in
	sed -i.old 's/^\(torch==[0-9.]*\)+[a-z0-9]*/\1/' requirements.txt && rm requirements.txt.old
	$(PY) -m piptools compile --quiet --strip-extras --allow-unsafe --no-emit-index-url --no-emit-find-links \
		--no-emit-trusted-host -c requirements.txt -o requirements-reading.txt requirements-reading.in

STUDY = $(wildcard studies/*/$(subst -,_,$(NAME)).py)

$(READING): requirements-reading.txt
	@$(PYTHON) tools/do.py reading

$(READY): $(READING) requirements.txt pyproject.toml
	@$(PYTHON) tools/do.py everything

.venv-tpu/.ready: $(READING) requirements.txt tests/tpu/requirements.txt
	$(PYTHON) -m venv .venv-tpu
	$(TPU) -m pip install -qq -c requirements.txt -r tests/tpu/requirements.txt
	@touch $@

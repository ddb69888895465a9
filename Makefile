# One target for each thing a person does. Every target makes or refreshes .venv first.
PYTHON ?= python3
PY := .venv/bin/python
READING := .venv/.reading
READY := .venv/.ready
TPU := .venv-tpu/bin/python
# Small matrices run faster on one thread, and chapters run side by side.
export OMP_NUM_THREADS ?= 1

.DEFAULT_GOAL := help
.PHONY: help book test test-all check lint records proofs unit long nbval pages site report shake colab exam test-tpu lab notebook page sync \
	format bench bench-torch bench-pretrain gpu study runs-check prove handout slides slides-pdf pdf zip assignment \
	assignments private-course mark assignments-test race browser browser-test release lock clean

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

lint records proofs unit long nbval pages site report: $(READY)  ## one step of make test
	@$(PY) tools/check/run_tests.py $@

shake: $(READY)  ## run the chapters on imitated machines: make shake SHAKE="--chapters sgd --machines noise-1"
	$(PY) tools/check/shake.py $(SHAKE)

colab: $(READY)  ## open every chapter as Google Colab does, alone and with its packages: make colab NAME=sgd
	$(PY) tools/check/shake.py --machines colab --jobs 1 $(if $(NAME),--chapters $(NAME))

exam: $(READY)  ## a written exam and its answers, to print: make exam PAPER=a
	$(PY) tools/give/exam.py $(PAPER)

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

sync: $(READY)  ## bring the .md and .ipynb of every chapter in step, running nothing
	$(PY) tools/chapter/first_cell.py
	$(PY) tools/chapter/notebooks.py sync

format: $(READY)  ## format all code, in the chapters too, as make lint demands
	$(PY) tools/chapter/notebooks.py format $(NAME)
	$(PY) -m ruff check --fix-only --quiet .
	$(PY) -m ruff format .

bench: $(READY)  ## time and memory of every NumPy optimizer
	$(PY) benchmarks/numpy_optim.py

bench-torch: $(READY)  ## the PyTorch optimizers against memory and public peers
	$(PY) benchmarks/torch_optim.py

bench-pretrain: $(READY)  ## BERT's training step against transformers and the products of matrices
	$(PY) benchmarks/pretrain.py

gpu: $(READY)  ## all that wants one CUDA card, in pieces that are each done once: records in book/cards
	$(PY) benchmarks/gpu.py $(GPU)

study: $(READY)  ## make a recorded run, or go on with one that stopped: make study NAME=batch-size [SIZE=toy] [DEVICE=cuda] [SPREAD=8]
	$(if $(STUDY),,$(error there is no study $(NAME): studies/*/ has $(notdir $(basename $(wildcard studies/*/*.py)))))
	$(PY) -m $(subst /,.,$(basename $(STUDY)))$(if $(SIZE), --size $(SIZE))$(if $(DEVICE), --device $(DEVICE))$(if $(SPREAD), --spread $(SPREAD))

runs-check: $(READY)  ## recorded runs: every field there, made by a study, read by a chapter
	$(PY) tools/check/runs_check.py

prove: $(READY)  ## check the proofs with Rocq, break the false statements, and write the page of theorems
	$(PY) tools/prover/prove.py

handout: $(READY)  ## a chapter without solutions and outputs, for students: make handout NAME=sgd
	$(PY) tools/give/handout.py $(NAME)

slides: $(READY)  ## the decks of course/slides into _build/slides, from the built book: make slides [NAME=lars-1]
	$(PY) tools/give/slides.py $(NAME)

slides-pdf: $(READY)  ## the decks as PDFs, a page for each slide with its notes: make slides-pdf [NAME=lars-1]
	$(PY) tools/give/slides.py $(NAME) --pdf

pdf: $(READY)  ## the whole book as one PDF, from the built pages; or a chapter of it: make pdf [NAME=lars]
	$(PY) tools/give/print_book.py $(NAME)

zip: $(READY)  ## the built pages in one file, to be read without a network
	$(PY) tools/give/zip_book.py

assignment: $(READY)  ## a problem set for a class, into assignments/: make assignment NAME=lars CLASS=2027-spring
	$(if $(NAME),,$(error which one? NAME=lars or another file of course/assignments; make assignments makes all))
	$(PY) course/marking/assignment.py $(NAME) $(if $(CLASS),--group $(CLASS))

assignments: $(READY)  ## all problem sets for a class: make assignments CLASS=2027-spring
	$(PY) course/marking/assignment.py $(if $(CLASS),--group $(CLASS))

private-course: $(READY)  ## a copy of the course whose tasks you change: make private-course INTO=../our-course
	$(if $(INTO),,$(error where to? INTO=../our-course))
	@$(PY) course/marking/assignment.py --private $(INTO)

mark: $(READY)  ## mark a folder of submissions: make mark NAME=lars CLASS=2027-spring FROM=submissions
	@$(PY) course/marking/mark.py $(NAME) $(FROM) $(if $(CLASS),--group $(CLASS))

assignments-test: $(READY)  ## mark right, wrong and dishonest answers to all problem sets for twelve classes: half an hour
	CLASSES=12 $(PY) -m pytest course/marking/tests

race: $(READY)  ## who needs the fewest steps: make race ENTRY=my_entry.py, or a folder of entries
	@$(PY) course/marking/race.py $(ENTRY)

browser: $(READING)  ## Pyodide beside the built pages, so that chapters run on them offline: make browser [PACK=folder]
	$(PY) tools/pages/browser_pack.py $(if $(PACK),--pack $(PACK))

browser-test: $(READY)  ## run the chapters on their pages in WebAssembly, after make book: [NAME=sgd | ALL=1] [PACK=folder]
	$(if $(PACK),$(PY) tools/pages/browser_pack.py --pack $(PACK))
	$(PY) tools/check/browser_test.py $(NAME)$(if $(ALL), --all)

release: $(READY)  ## what a version gives away, each file opened: make release, at its tag, or make release DRAFT=1
	$(PY) tools/give/release.py $(if $(DRAFT),--draft)

lock: $(READY)  ## requirements.in -> requirements.txt
	$(PY) -m piptools compile --quiet --upgrade --strip-extras --allow-unsafe --no-emit-index-url \
		--no-emit-find-links --no-emit-trusted-host -o requirements.txt requirements.in
	sed -i.old 's/^\(torch==[0-9.]*\)+[a-z0-9]*/\1/' requirements.txt && rm requirements.txt.old
	$(PY) -m piptools compile --quiet --strip-extras --allow-unsafe --no-emit-index-url --no-emit-find-links \
		--no-emit-trusted-host -c requirements.txt -o requirements-reading.txt requirements-reading.in

clean:  ## remove the site and every cache; .venv and .venv-tpu stay
	rm -rf _build .pytest_cache .ruff_cache .import_linter_cache .hypothesis .coverage
	find minilib tests tools notebooks benchmarks -name __pycache__ -prune -exec rm -rf {} +

STUDY = $(wildcard studies/*/$(subst -,_,$(NAME)).py)

$(READING): requirements-reading.txt
	@$(PYTHON) tools/do.py reading

$(READY): $(READING) requirements.txt pyproject.toml
	@$(PYTHON) tools/do.py everything

.venv-tpu/.ready: $(READING) requirements.txt tests/tpu/requirements.txt
	$(PYTHON) -m venv .venv-tpu
	$(TPU) -m pip install -qq -c requirements.txt -r tests/tpu/requirements.txt
	@touch $@

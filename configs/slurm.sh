#!/bin/bash
# Pretraining on several machines of a SLURM cluster: sbatch configs/slurm.sh --config configs/lamb-two-phase.toml
#
# One task a machine starts torchrun; the torchruns meet at the first machine's port, and each starts one process a GPU.
# When a process is killed torchrun ends the others, starts all again, and they go on from the newest checkpoint.
# It has not been run on a cluster: a test runs it with two machines played by this one.

#SBATCH --job-name=pretrain
#SBATCH --nodes=4                   # EDIT: machines
#SBATCH --ntasks-per-node=1         # one torchrun each; leave it
#SBATCH --gpus-per-node=8           # EDIT: GPUs of a machine, the same number as below
#SBATCH --cpus-per-task=64          # EDIT: cores of a machine
#SBATCH --time=04:00:00             # EDIT
#SBATCH --signal=TERM@120           # the run saves, if it can in the 100 s that torchrun gives it; the same command goes on
#SBATCH --output=pretrain-%j.log

set -euo pipefail

GPUS_PER_NODE=8                     # EDIT
PROJECT=$HOME/big-batches           # EDIT: a folder that all machines see, with .venv, the corpus and the run's folder
export MINILIB_DATA=$PROJECT/data   # tokenizer and rows: the first process makes them, all others read them
export OMP_NUM_THREADS=8            # EDIT: cores of a machine / GPUs of a machine

cd "$PROJECT"
read -r FIRST < <(scontrol show hostnames "$SLURM_JOB_NODELIST")  # a pipe into head fails when scontrol is still writing
MEETING=$FIRST:29500

srun .venv/bin/torchrun --nnodes "$SLURM_NNODES" --nproc-per-node "$GPUS_PER_NODE" --max-restarts 3 --shutdown-timeout 100 \
    --rdzv-id "$SLURM_JOB_ID" --rdzv-backend c10d --rdzv-endpoint "$MEETING" \
    -m minilib.training "$@"

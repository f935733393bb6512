#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every EC2 instance type before karpenter-provider-aws itself: tests/oracle/aws."""
import os
import pathlib
import sys

ask = pathlib.Path(__file__).resolve().parents[1] / 'oracle' / 'aws' / 'ask.py'
os.execv(sys.executable, [sys.executable, str(ask)])

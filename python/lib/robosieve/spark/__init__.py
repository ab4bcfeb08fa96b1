"""Spark: verdicts for the rows of a DataFrame, and policies compiled by executors."""

from robosieve.spark.compiling import compile
from robosieve.spark.expression import judge_udf, key
from robosieve.spark.judging import judge
from robosieve.spark.policies import staged
from robosieve.spark.shipping import ship_wheel

__all__ = ["compile", "judge", "judge_udf", "key", "ship_wheel", "staged"]

"""What checkers of types must refuse: a comment that a line needs no longer is an error. Nothing runs it."""

# pyright: strict, reportUnnecessaryTypeIgnoreComment=true

from pyspark.sql import DataFrame, SparkSession

import robosieve
import robosieve.spark
from robosieve import Choices, LivePolicy, Policy

CART = "https://shop.example/cart"
ONE = b"https://shop.example/cart"


def strings_are_no_lists(policy: Policy, live: LivePolicy, spark: SparkSession, df: DataFrame) -> None:
    policy.judge(CART)  # type: ignore[call-overload]
    policy.judge(ONE)  # type: ignore[call-overload]
    policy.judge(CART, "examplebot", threads=1)  # type: ignore[call-overload]
    policy.judge([CART], agents="examplebot")  # type: ignore[call-overload]
    policy.judge([CART], columns="verdict")  # type: ignore[call-overload]
    live.judge([CART], agents="examplebot")  # type: ignore[arg-type]
    live.judge([CART], columns="verdict")  # type: ignore[arg-type]
    LivePolicy("examplebot")  # type: ignore[arg-type]
    robosieve.unique(CART)  # type: ignore[arg-type]
    robosieve.line_sum(CART)  # type: ignore[arg-type]
    robosieve.compile("sites", ["*"])  # type: ignore[arg-type]
    robosieve.compile(["sites"], "*")  # type: ignore[arg-type]
    robosieve.merge("policy.rsv", "all.rsv")  # type: ignore[arg-type]
    robosieve.diff(policy, policy, "examplebot")  # type: ignore[arg-type]
    robosieve.diff(policy, policy, only="came")  # type: ignore[arg-type]
    robosieve.join("part-1", "all")  # type: ignore[arg-type]
    robosieve.keys("urls.txt", "keys.rss")  # type: ignore[arg-type]
    robosieve.filter(policy, "urls.txt", "out")  # type: ignore[arg-type]
    robosieve.filter(policy, ["urls.txt"], "out", agents="*")  # type: ignore[arg-type]
    robosieve.filter(policy, ["urls.txt"], only="allowed")  # type: ignore[arg-type]
    robosieve.spark.judge(df, policy=policy, agents="*")  # type: ignore[arg-type]
    robosieve.spark.judge(df, policy=policy, columns="verdict")  # type: ignore[arg-type]
    robosieve.spark.judge_udf(spark, policy=policy, agents="*")  # type: ignore[arg-type]
    robosieve.spark.judge_udf(spark, policy=policy, columns="verdict")  # type: ignore[arg-type]
    robosieve.spark.compile(spark, "sites", ["*"], "policy.rsv")  # type: ignore[arg-type]
    robosieve.spark.compile(spark, ["sites"], "*", "policy.rsv")  # type: ignore[arg-type]


def other_types(policy: Policy, df: DataFrame) -> None:
    policy.judge({CART})  # type: ignore[call-overload]
    policy.judge([CART, 5])  # type: ignore[list-item]
    policy.judge(None)  # type: ignore[call-overload]
    policy.judge([CART], progress=5)  # type: ignore[call-overload]
    policy.judge([CART], choices={"on_html": "block"})  # type: ignore[call-overload]
    policy.allowed([CART])  # type: ignore[arg-type]
    Choices(on_html="maybe")  # type: ignore[arg-type]
    robosieve.export(policy, "delay")  # type: ignore[arg-type]
    robosieve.filter(policy, ["urls.txt"])["imput"]  # type: ignore[typeddict-item]
    robosieve.filter(policy, ["urls.txt"])["input"]["line"]  # type: ignore[typeddict-item]
    robosieve.spark.judge(df, 5, policy=policy)  # type: ignore[arg-type]

"""The types that everything else passes on: Qrels, Run, Hits, Scores.

- Judgments and runs: `qrels` and `run`, made of `rows` (ids as bytes, grouped by query); `row_input` makes rows of
  data in memory, `row_tables` of tables. `join` combines both to `hits`, by the tie rule of `tie_breaking`.
- Other inputs: `votes`, `preferences`, `rankings`, `metric_scores`, `entities`, `features`, `spans`, `chunks`,
  `subtopics`.
- Tables that are read: `tables` binds the columns of a format (`Schema`) to those of a file or a data frame.
- Results: `scores`, and `result`, which all results inherit; they are shown as `section`s, whose tables `columns`
  makes.
"""

# Reads the output of `npm test` and prints each failed test: "FAILED ENGINE FILE:LINE:COLUMN", its name, and the first lines of
# its error, and of a count of lost messages the defects. ENGINE is the database of the pass in which it failed.
BEGIN { engine = "sqlite" }
/^Once more on PostgreSQL/ { engine = "postgres"; listed = 0 }
/failing tests:$/ { listed = 1 }
listed && /^test at / { print "FAILED " engine " " substr($0, 9); lines = 12; next }
listed && /^ *DEFECT: / && lines < 8 { lines = 8 }
lines > 0 { print substr($0, 1, 300); lines-- }

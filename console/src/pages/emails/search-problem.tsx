import { AsText, type AsTextProps } from './as-text.tsx'
import classes from './emails.module.css'

/** Below the search field: why the search that is typed there finds nothing. */
export function SearchProblem({ problem, ...search }: AsTextProps & { problem: string }) {
  return (
    <div id="emails-search-problem" role="status" className={classes.problem}>
      <span>{problem}</span>
      <AsText {...search} />
    </div>
  )
}

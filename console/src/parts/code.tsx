import classes from './code.module.css'
import { Copy } from './copy.tsx'

/**
 * Code to read and copy. `what`: names the code on the copy button. `wrap`: breaks long lines instead of
 * scrolling.
 */
export function CodeBlock({ code, what, wrap = false }: { code: string; what: string; wrap?: boolean }) {
  return (
    <div className={classes.frame}>
      <pre
        className={`${classes.text} ${wrap ? classes.wrapped : ''}`}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users scroll it with the arrow keys (WCAG 2.1.1)
        tabIndex={0}
      >
        {code}
      </pre>
      <div className={classes.copy}>
        <Copy value={code} what={what} />
      </div>
    </div>
  )
}

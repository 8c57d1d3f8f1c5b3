import classes from './code.module.css'
import { Copy } from './copy.tsx'

/**
 * Text for machines, to be read and copied. `what`: the button that copies it says so. `wrap`: lines are
 * broken where they do not fit; else they can be scrolled.
 */
export function CodeBlock({ code, what, wrap = false }: { code: string; what: string; wrap?: boolean }) {
  return (
    <div className={classes.frame}>
      <pre
        className={`${classes.text} ${wrap ? classes.wrapped : ''}`}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: who has no mouse scrolls it with the arrow keys (WCAG 2.1.1)
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

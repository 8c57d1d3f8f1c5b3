/** A list of names and their values. */
import { Text } from '@mantine/core'
import type { CSSProperties, ReactNode } from 'react'
import classes from './facts.module.css'
import { UntrustedText } from './untrusted-text.tsx'

/** `names`: the width of the names in pixels. */
export function Facts({ names, children }: { names?: number; children: ReactNode }) {
  const style = names === undefined ? undefined : ({ '--fact-name': `${names}px` } as CSSProperties)
  return (
    <dl className={classes.facts} style={style}>
      {children}
    </dl>
  )
}

export function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className={classes.fact}>
      <Text component="dt" size="sm" c="dimmed">
        <UntrustedText>{name}</UntrustedText>
      </Text>
      <Text component="dd" size="sm" m={0}>
        {children}
      </Text>
    </div>
  )
}

/** Text that is cut after some lines, with a button for the rest. */
import { Anchor } from '@mantine/core'
import { type ReactNode, useLayoutEffect, useRef, useState } from 'react'
import classes from './clamped.module.css'

export function Clamped({ lines = 2, children }: { lines?: number; children: ReactNode }) {
  const box = useRef<HTMLSpanElement>(null)
  const [isOpen, setOpen] = useState(false)
  const [isCut, setCut] = useState(false)
  useLayoutEffect(() => {
    const element = box.current!
    const look = () => setCut((was) => (isOpen ? was : element.scrollHeight > element.clientHeight + 1))
    look()
    const watch = new ResizeObserver(look)
    watch.observe(element)
    return () => watch.disconnect()
  }, [isOpen])
  return (
    <>
      <span
        ref={box}
        dir="auto"
        className={isOpen ? undefined : classes.clamped}
        style={{ WebkitLineClamp: lines }}
      >
        {children}
      </span>
      {isCut && (
        <Anchor
          component="button"
          type="button"
          size="sm"
          onClick={() => setOpen(!isOpen)}
          aria-expanded={isOpen}
        >
          {isOpen ? 'less' : 'more'}
        </Anchor>
      )}
    </>
  )
}

/** A long text to read and search, in CodeMirror, which renders only the visible lines. */

import { openSearchPanel, search, searchKeymap } from '@codemirror/search'
import { Compartment, EditorState } from '@codemirror/state'
import { drawSelection, EditorView, highlightSpecialChars, keymap, lineNumbers } from '@codemirror/view'
import { Button, Group } from '@mantine/core'
import { Search, WrapText } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { styleNonce } from '../../style-nonce.ts'
import classes from './email.module.css'

const LOOK = EditorView.theme({
  '&': { maxHeight: '70vh', fontSize: 'var(--mantine-font-size-xs)' },
  '.cm-scroller': { fontFamily: 'var(--mantine-font-family-monospace)', overflow: 'auto' },
  '.cm-gutters': {
    background: 'var(--mantine-color-body)',
    color: 'var(--mantine-color-dimmed)',
    border: 'none',
  },
  '.cm-panels': { background: 'var(--mantine-color-default)', color: 'inherit' },
  '.cm-selectionBackground, &.cm-focused .cm-selectionBackground': {
    background: 'var(--mantine-primary-color-light-hover) !important',
  },
  '.cm-cursor': { borderInlineStartColor: 'var(--mantine-color-text)' },
})

/** The line wrapping of an editor, which can be switched without a new editor. */
const wrapping = new Compartment()

/** A new object each time that a person asks for the line, also for the same one. */
export interface ShownLine {
  /** Counted from 1. */
  line: number
}

/** `shown`: the line to scroll to. */
export function SourceText({
  text,
  shown,
  label = 'Source of the email',
}: {
  text: string
  shown: ShownLine | null
  label?: string
}) {
  const place = useRef<HTMLDivElement>(null)
  const view = useRef<EditorView | null>(null)
  const [wraps, setWraps] = useState(true)
  // biome-ignore lint/correctness/useExhaustiveDependencies: wrapping is reconfigured in the existing editor
  useEffect(() => {
    const editor = new EditorView({
      parent: place.current!,
      state: EditorState.create({
        doc: text,
        extensions: [
          EditorView.cspNonce.of(styleNonce),
          EditorState.readOnly.of(true),
          EditorView.contentAttributes.of({
            'aria-label': label,
            'aria-readonly': 'true',
            tabindex: '0',
          }),
          lineNumbers(),
          highlightSpecialChars({ addSpecialChars: /[\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069]/ }),
          drawSelection(),
          search({ top: true }),
          keymap.of(searchKeymap),
          wrapping.of(wraps ? EditorView.lineWrapping : []),
          LOOK,
        ],
      }),
    })
    view.current = editor
    return () => editor.destroy()
  }, [text])
  useEffect(() => {
    view.current?.dispatch({ effects: wrapping.reconfigure(wraps ? EditorView.lineWrapping : []) })
  }, [wraps])
  useEffect(() => {
    const editor = view.current
    if (editor === null || shown === null || shown.line > editor.state.doc.lines) return
    const { from } = editor.state.doc.line(shown.line)
    editor.dispatch({ selection: { anchor: from }, effects: EditorView.scrollIntoView(from, { y: 'start' }) })
    editor.focus()
  }, [shown])
  return (
    <div>
      <Group gap="xs" mb="xs">
        <Button
          size="xs"
          variant="default"
          leftSection={<Search size={14} aria-hidden />}
          onClick={() => view.current && openSearchPanel(view.current)}
        >
          Search
        </Button>
        <Button
          size="xs"
          variant={wraps ? 'light' : 'default'}
          leftSection={<WrapText size={14} aria-hidden />}
          aria-pressed={wraps}
          onClick={() => setWraps(!wraps)}
        >
          Wrap lines
        </Button>
      </Group>
      <div ref={place} className={classes.source} />
    </div>
  )
}

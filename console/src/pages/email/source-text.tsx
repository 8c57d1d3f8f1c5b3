/** A long text to look at and search in: CodeMirror, which draws only what is seen. */
import { search, searchKeymap } from '@codemirror/search'
import { EditorState } from '@codemirror/state'
import { drawSelection, EditorView, highlightSpecialChars, keymap, lineNumbers } from '@codemirror/view'
import { useEffect, useRef } from 'react'
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

/** `line`: brought to the top, from 1. */
export function SourceText({ text, line }: { text: string; line: number | null }) {
  const place = useRef<HTMLDivElement>(null)
  const view = useRef<EditorView | null>(null)
  useEffect(() => {
    const editor = new EditorView({
      parent: place.current!,
      state: EditorState.create({
        doc: text,
        extensions: [
          EditorView.cspNonce.of(styleNonce),
          EditorState.readOnly.of(true),
          EditorView.contentAttributes.of({
            'aria-label': 'Source of the email',
            'aria-readonly': 'true',
            tabindex: '0',
          }),
          lineNumbers(),
          highlightSpecialChars({ addSpecialChars: /[\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069]/ }),
          drawSelection(),
          search({ top: true }),
          keymap.of(searchKeymap),
          EditorView.lineWrapping,
          LOOK,
        ],
      }),
    })
    view.current = editor
    return () => editor.destroy()
  }, [text])
  useEffect(() => {
    const editor = view.current
    if (editor === null || line === null || line > editor.state.doc.lines) return
    const { from } = editor.state.doc.line(line)
    editor.dispatch({ selection: { anchor: from }, effects: EditorView.scrollIntoView(from, { y: 'start' }) })
    editor.focus()
  }, [line])
  return <div ref={place} className={classes.source} />
}

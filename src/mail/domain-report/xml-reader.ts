/** XML as a stream of elements and text, by the tokenizer of htmlparser2. */
import { Tokenizer, type TokenizerCallbacks } from 'htmlparser2'
import { DomainReportError } from './report-error.ts'

interface XmlEvents {
  /** The local name: prefixes of namespaces are dropped. */
  open(name: string): void
  /** `text`: the text directly in the element, cut to its beginning if it is long. */
  close(name: string, text: string): void
}

const DEEPEST = 20
const LONGEST_NAME = 100
const LONGEST_TEXT = 1_000

/**
 * Reads a document in one go, in time linear in its size. Entities other than the five of XML and characters by number
 * stay as they are, and a document with a DTD is refused. Attributes and comments are dropped. Throws a
 * DomainReportError.
 */
export function readXml(xml: string, events: XmlEvents): void {
  const open: { name: string; text: string }[] = []
  const add = (text: string) => {
    const element = open.at(-1)
    if (element === undefined || element.text.length >= LONGEST_TEXT) return
    element.text = (element.text + text).slice(0, LONGEST_TEXT)
  }
  const close = () => {
    const element = open.pop()!
    events.close(element.name, element.text.trim())
  }
  const ignore = () => {}
  const callbacks: TokenizerCallbacks = {
    onopentagname(start, end) {
      if (open.length >= DEEPEST)
        throw new DomainReportError('The elements of the report are nested too deep.')
      const name = localName(xml.slice(start, Math.min(end, start + LONGEST_NAME)))
      open.push({ name, text: '' })
      events.open(name)
    },
    onselfclosingtag: close,
    onclosetag(start, end) {
      const name = localName(xml.slice(start, Math.min(end, start + LONGEST_NAME)))
      if (open.at(-1)?.name !== name) throw new DomainReportError('The XML of the report is not well-formed.')
      close()
    },
    ontext: (start, end) => add(xml.slice(start, Math.min(end, start + LONGEST_TEXT))),
    ontextentity: (codepoint) => add(String.fromCodePoint(codepoint)),
    oncdata: (start, end, offset) => add(xml.slice(start, Math.min(end - offset, start + LONGEST_TEXT))),
    ondeclaration() {
      throw new DomainReportError('The XML of the report has a document type.')
    },
    onopentagend: ignore,
    onattribdata: ignore,
    onattribentity: ignore,
    onattribend: ignore,
    onattribname: ignore,
    oncomment: ignore,
    onprocessinginstruction: ignore,
    onend: ignore,
  }
  const tokenizer = new Tokenizer({ xmlMode: true, decodeEntities: true }, callbacks)
  tokenizer.write(xml)
  tokenizer.end()
  if (open.length > 0) throw new DomainReportError('The XML of the report ends too early.')
}

function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1)
}

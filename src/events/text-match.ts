/** Finds words and files in the beginnings of emails, which are untrusted. Pure. */
import type { EmailBeginning } from '../email/stored-email.ts'
import { fileNamesIn, hasAttachments } from '../mail/raw/files.ts'
import { RawError, withCrlfLines } from '../mail/raw/lines.ts'
import { type RawPart, readStructure } from '../mail/raw/structure.ts'
import { shownText } from '../mail/shown-text.ts'
import { offsetOfWord, type Phrase, phraseAt, wordsIn } from '../store/searched-words.ts'
import { excerptAt } from './excerpt.ts'

/** The beginning of an email, and what is looked for in it. */
export interface SearchedText extends EmailBeginning {
  /** All of these phrases, in its text or in names of its files. */
  phrases: readonly Phrase[]
  /** Files besides inline pictures. */
  attached: boolean
}

/** The emails that have all of it: their ids, and the words around the first phrase, '' when none is looked for. */
export function matchTexts(texts: readonly SearchedText[]): [id: string, excerpt: string][] {
  return texts.flatMap(({ phrases, attached, ...beginning }): [string, string][] => {
    const { id, raw, rawOctets, files, fileNames, filesKnown } = beginning
    const root = raw === null || filesKnown ? null : structureOf(raw)
    if (attached && !(root === null ? files > 0 : hasAttachments(root, raw!.length < rawOctets!))) return []
    if (phrases.length === 0) return [[id, '']]
    const names = root === null ? (fileNames ?? '') : fileNamesIn(root).join('\n')
    const text = `${shownText(beginning)}\n${names}`
    const words = wordsIn(text)
    if (!phrases.every((phrase) => phraseAt(words, phrase) >= 0)) return []
    return [[id, excerptAt(text, offsetOfWord(text, phraseAt(words, phrases[0]!)))]]
  })
}

/** Null for what is not structured like a message. */
function structureOf(raw: Uint8Array): RawPart | null {
  try {
    return readStructure(withCrlfLines(raw))
  } catch (error) {
    if (error instanceof RawError) return null
    throw error
  }
}

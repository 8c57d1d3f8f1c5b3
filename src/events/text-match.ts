/** Finds words and files in the beginnings of emails, which are untrusted. Pure. */
import type { EmailBeginning } from '../email/stored-email.ts'
import { fileNamesIn, hasAttachments } from '../mail/raw/files.ts'
import { RawError, withCrlfLines } from '../mail/raw/lines.ts'
import { type RawPart, readStructure } from '../mail/raw/structure.ts'
import { shownText } from '../mail/shown-text.ts'
import { offsetOfWord, type Phrase, phraseAt, wordsIn } from '../store/searched-words.ts'
import { excerptAt } from './excerpt.ts'

/** The beginning of an email, and the conditions on it. */
export interface SearchedText extends EmailBeginning {
  /** Each of these phrases must stand in its text or in the names of its files. */
  phrases: readonly Phrase[]
  /** True: it must have files besides inline pictures. */
  attached: boolean
}

/** The ids of the emails that meet all conditions, with the words around the first phrase; '' without phrases. */
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

/** Null: the octets do not have the structure of a message. */
function structureOf(raw: Uint8Array): RawPart | null {
  try {
    return readStructure(withCrlfLines(raw))
  } catch (error) {
    if (error instanceof RawError) return null
    throw error
  }
}

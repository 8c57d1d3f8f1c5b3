/** Finds words in the texts of emails, which are untrusted. Pure. */
import { type BodyBeginning, shownText } from '../mail/shown-text.ts'
import { offsetOfWord, type Phrase, phraseAt, wordsIn } from '../store/searched-words.ts'
import { excerptAt } from './excerpt.ts'

/** The beginning of an email, and the phrases that are looked for in it. */
export interface SearchedText extends BodyBeginning {
  id: string
  phrases: readonly Phrase[]
}

/** The emails whose text has all of their phrases: their ids, and the words around the first phrase. */
export function matchTexts(texts: readonly SearchedText[]): [id: string, excerpt: string][] {
  return texts.flatMap(({ id, phrases, ...beginning }): [string, string][] => {
    const text = shownText(beginning)
    const words = wordsIn(text)
    if (!phrases.every((phrase) => phraseAt(words, phrase) >= 0)) return []
    return [[id, excerptAt(text, offsetOfWord(text, phraseAt(words, phrases[0]!)))]]
  })
}

/**
 * Text from outside made harmless to look at. What a terminal obeys (C0 and C1 controls, ECMA-48), what turns the order
 * of letters around (bidi controls, UAX 9), and what cannot be seen at all is written as an escape, and is thereby
 * seen.
 */

/**
 * Emoji made of several characters come first and stay whole: some of what holds them together is invisible by itself.
 * Each alternative begins with another character, so that the time is linear.
 */
const EMOJI_OR_UNSEEN =
  /(\p{Extended_Pictographic}[\ufe0f\p{Emoji_Modifier}]?(?:\u200d\p{Extended_Pictographic}[\ufe0f\p{Emoji_Modifier}]?)*)|[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu
/** As above, without the controls that JSON text has escaped already, or has between its values. */
const UNSEEN_IN_JSON = /[\u007f-\u009f]|(?![\0-\u001f])[\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu

/** One line: a line break is escaped as well. */
export function visible(text: string): string {
  return text.replace(EMOJI_OR_UNSEEN, (character, emoji) => emoji ?? escaped(character))
}

/** JSON text with the same meaning in which everything can be seen. */
export function visibleJson(json: string): string {
  return json.replace(UNSEEN_IN_JSON, (character) => {
    // RFC 8259 7: what lies beyond U+FFFF is a pair of escapes.
    return character.split('').map(escapedUnit).join('')
  })
}

function escaped(character: string): string {
  const code = character.codePointAt(0)!
  return code > 0xffff ? `\\u{${code.toString(16)}}` : escapedUnit(character)
}

function escapedUnit(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
}

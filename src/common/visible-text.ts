/**
 * Makes text from outside harmless to look at. Characters that a terminal obeys (C0 and C1 controls, ECMA-48), that
 * reverse the order of letters (bidi controls, UAX 9), or that are invisible are written as escapes, which makes them
 * visible.
 */

/**
 * Emoji made of several characters come first and stay whole: some of the characters that join them are invisible. Each
 * alternative begins with another character, so that the time is linear.
 */
const EMOJI_OR_UNSEEN =
  /(\p{Extended_Pictographic}[\ufe0f\p{Emoji_Modifier}]?(?:\u200d\p{Extended_Pictographic}[\ufe0f\p{Emoji_Modifier}]?)*)|[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu
/** As above, without the controls that JSON text has escaped already, or has between its values. */
const UNSEEN_IN_JSON = /[\u007f-\u009f]|(?![\0-\u001f])[\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu

/** One line: a line break is escaped as well. */
export function visible(text: string): string {
  return text.replace(EMOJI_OR_UNSEEN, (character, emoji) => emoji ?? escaped(character))
}

/** JSON text with the same meaning in which every character is visible. */
export function visibleJson(json: string): string {
  return json.replace(UNSEEN_IN_JSON, (character) => {
    // RFC 8259 7: a character beyond U+FFFF is a pair of escapes.
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

/**
 * Filter expressions of the events API: words that all must match, `"a phrase"`, `AND`, `OR`, `NOT`, brackets, and
 * `<n`, `>n` for numbers. `AND` binds tighter than `OR`. Operators are in capitals; anything else is a word.
 */
import { invalidField } from '../../../intake/refusal.ts'

export type Expression =
  | { kind: 'term'; text: string }
  | { kind: 'below' | 'above'; number: number }
  | { kind: 'not'; operand: Expression }
  | { kind: 'all' | 'any'; operands: Expression[] }

/** The value or values to which an expression is compared. */
export interface MatchTarget {
  /** `term` in lower case. */
  matches(term: string): boolean
  number?: number
}

/** The most UTF-16 units of an expression. */
export const LONGEST = 2_000
const DEEPEST = 20
const TOKEN = /\s*(?:"((?:[^"\\]|\\.)*)"|([()])|([<>])\s*(-?\d+(?:\.\d+)?)(?=[\s()]|$)|([^\s()"]+))/y

type Token =
  | { quoted: boolean; text: string }
  | { bracket: string }
  | { kind: 'below' | 'above'; number: number }

/** Throws a Refusal for an invalid expression. `field`: its name in the query. */
export function parseExpression(field: string, text: string): Expression {
  if (text.length > LONGEST) throw invalidField(field, `an expression has at most ${LONGEST} characters`)
  const parser = new Parser(field, tokensOf(field, text))
  return parser.whole()
}

function tokensOf(field: string, text: string): Token[] {
  const tokens: Token[] = []
  const end = text.trimEnd().length
  TOKEN.lastIndex = 0
  while (TOKEN.lastIndex < end) {
    const found = TOKEN.exec(text)
    if (found === null) throw invalidField(field, 'a quotation mark is not closed')
    const [, quoted, bracket, sign, number, word] = found
    if (quoted !== undefined) tokens.push({ quoted: true, text: quoted.replace(/\\(.)/g, '$1') })
    else if (bracket !== undefined) tokens.push({ bracket })
    else if (sign !== undefined) {
      tokens.push({ kind: sign === '<' ? 'below' : 'above', number: Number(number) })
    } else tokens.push({ quoted: false, text: word! })
  }
  return tokens
}

class Parser {
  readonly #field: string
  readonly #tokens: Token[]
  #next = 0

  constructor(field: string, tokens: Token[]) {
    this.#field = field
    this.#tokens = tokens
  }

  whole(): Expression {
    const expression = this.#any(0)
    if (this.#next === this.#tokens.length) return expression
    throw this.#wrong('a closing bracket has no opening bracket')
  }

  #any(depth: number): Expression {
    const operands = [this.#all(depth)]
    while (this.#isWord('OR')) {
      this.#next++
      operands.push(this.#all(depth))
    }
    return operands.length === 1 ? operands[0]! : { kind: 'any', operands }
  }

  #all(depth: number): Expression {
    const operands = [this.#one(depth)]
    for (;;) {
      if (this.#isWord('AND')) this.#next++
      else if (this.#ends()) break
      operands.push(this.#one(depth))
    }
    return operands.length === 1 ? operands[0]! : { kind: 'all', operands }
  }

  #one(depth: number): Expression {
    if (depth > DEEPEST) throw this.#wrong(`brackets and NOT may be nested ${DEEPEST} deep at most`)
    if (this.#isWord('NOT')) {
      this.#next++
      return { kind: 'not', operand: this.#one(depth + 1) }
    }
    if (this.#ends()) throw this.#wrong('a word is missing')
    const token = this.#tokens[this.#next++]!
    if ('number' in token) return token
    if ('text' in token) return { kind: 'term', text: token.text.toLowerCase() }
    const inner = this.#any(depth + 1)
    const closing = this.#tokens[this.#next++]
    if (closing !== undefined && 'bracket' in closing) return inner
    throw this.#wrong('a bracket is not closed')
  }

  #isWord(word: string): boolean {
    const token = this.#tokens[this.#next]
    return token !== undefined && 'text' in token && !token.quoted && token.text === word
  }

  /** True at the end of operands that AND joins. */
  #ends(): boolean {
    const token = this.#tokens[this.#next]
    return token === undefined || ('bracket' in token && token.bracket === ')') || this.#isWord('OR')
  }

  #wrong(detail: string) {
    return invalidField(this.#field, detail)
  }
}

/** All words of the expression. */
export function termsOf(expression: Expression): string[] {
  if (expression.kind === 'term') return [expression.text]
  if (expression.kind === 'not') return termsOf(expression.operand)
  return 'operands' in expression ? expression.operands.flatMap(termsOf) : []
}

export function fits(expression: Expression, value: MatchTarget): boolean {
  switch (expression.kind) {
    case 'term':
      return value.matches(expression.text)
    case 'below':
      return value.number !== undefined && value.number < expression.number
    case 'above':
      return value.number !== undefined && value.number > expression.number
    case 'not':
      return !fits(expression.operand, value)
    case 'all':
      return expression.operands.every((operand) => fits(operand, value))
    case 'any':
      return expression.operands.some((operand) => fits(operand, value))
  }
}

/** The words of an expression that requires only one of them. Null: it requires anything else. */
export function alternatives(expression: Expression): string[] | null {
  if (expression.kind === 'term') return [expression.text]
  if (expression.kind !== 'any') return null
  const each = expression.operands.map(alternatives)
  return each.includes(null) ? null : (each as string[][]).flat()
}

/** A word that every match contains; null: there is none. */
export function requiredTerm(expression: Expression): string | null {
  if (expression.kind === 'term') return expression.text
  if (expression.kind !== 'all') return null
  for (const operand of expression.operands) {
    const found = requiredTerm(operand)
    if (found !== null) return found
  }
  return null
}

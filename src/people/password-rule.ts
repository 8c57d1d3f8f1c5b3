/**
 * Refuses short passwords, and those that attackers try first. There is no rule that asks for a digit or a capital
 * (NIST SP 800-63B 5.1.1.2), because such rules make passwords worse.
 */

export const LEAST_PASSWORD = 10
const MAX_PASSWORD = 256
/** Characters that must be left once everything guessable is taken out. */
const LEAST_OWN = 4
const LEAST_DIFFERENT = 5

/** The words of leaked passwords, without digits, sequences and repetition. */
const COMMON = [
  ...[
    'password',
    'passwort',
    'passw',
    'pass',
    'contrasena',
    'motdepasse',
    'parola',
    'secret',
    'geheim',
    'login',
  ],
  ...[
    'welcome',
    'willkommen',
    'bienvenue',
    'hello',
    'hallo',
    'letmein',
    'openup',
    'access',
    'enter',
    'default',
  ],
  ...[
    'admin',
    'administrator',
    'root',
    'user',
    'guest',
    'test',
    'testing',
    'demo',
    'changeme',
    'change',
    'temp',
  ],
  ...[
    'iloveyou',
    'loveyou',
    'iloveu',
    'love',
    'lovely',
    'princess',
    'sunshine',
    'football',
    'baseball',
    'soccer',
  ],
  ...['basketball', 'superman', 'batman', 'starwars', 'pokemon', 'naruto', 'minecraft', 'dragon', 'monkey'],
  ...[
    'master',
    'shadow',
    'michael',
    'jessica',
    'jennifer',
    'charlie',
    'ashley',
    'daniel',
    'andrew',
    'thomas',
  ],
  ...[
    'michelle',
    'nicole',
    'jordan',
    'hunter',
    'ranger',
    'harley',
    'mustang',
    'ferrari',
    'mercedes',
    'liverpool',
  ],
  ...[
    'chelsea',
    'arsenal',
    'barcelona',
    'realmadrid',
    'trustno',
    'whatever',
    'freedom',
    'internet',
    'computer',
  ],
  ...[
    'samsung',
    'google',
    'facebook',
    'microsoft',
    'windows',
    'apple',
    'linux',
    'server',
    'mail',
    'email',
    'smtp',
  ],
  ...[
    'summer',
    'winter',
    'spring',
    'autumn',
    'fall',
    'sommer',
    'herbst',
    'january',
    'february',
    'march',
    'april',
  ],
  ...['june', 'july', 'august', 'september', 'october', 'november', 'december', 'monday', 'friday', 'sunday'],
  ...[
    'correcthorsebatterystaple',
    'blink',
    'killer',
    'zxcvbnm',
    'asdfgh',
    'qwerty',
    'qwertz',
    'azerty',
    'abc',
  ],
  ...[
    'postroad',
    'console',
    'company',
    'flower',
    'chocolate',
    'cheese',
    'cookie',
    'pepper',
    'ginger',
    'banana',
  ],
].sort((a, b) => b.length - a.length)

/** Rows of adjacent keys, and letters and digits in order. */
const ROWS = [
  ...[
    'abcdefghijklmnopqrstuvwxyz',
    '01234567890',
    'qwertyuiop',
    'qwertzuiop',
    'azertyuiop',
    'asdfghjkl',
    'zxcvbnm',
  ],
  ...[
    'yxcvbnm',
    'qazwsxedcrfvtgbyhnujmikolp',
    '1qaz2wsx3edc4rfv5tgb6yhn7ujm8ik9ol0p',
    '1q2w3e4r5t6y7u8i9o0p',
  ],
].flatMap((row) => [row, [...row].reverse().join('')])
const ROW_PART = 4

/** Characters that are written in place of letters. */
const LOOKS_LIKE: Record<string, string> = {
  '0': 'o',
  '1': 'i',
  '!': 'i',
  '3': 'e',
  '4': 'a',
  '@': 'a',
  '5': 's',
  $: 's',
  '7': 't',
  '8': 'b',
  '9': 'g',
}

/**
 * The reason why a password is refused, as a sentence without its stop; null: it is accepted. `own`: the person's
 * address and name.
 */
export function passwordProblem(password: string, own: readonly string[]): string | null {
  const length = [...password].length
  if (length < LEAST_PASSWORD)
    return `a password must have at least ${LEAST_PASSWORD} characters; a few words are easy to remember`
  if (length > MAX_PASSWORD) return `a password can have at most ${MAX_PASSWORD} characters`
  const plain = password.normalize('NFKC').toLowerCase()
  if (new Set(plain).size < LEAST_DIFFERENT) return 'this password has too few different characters'
  const mine = own
    .flatMap((text) => text.toLowerCase().split(/[^\p{L}\p{N}]+/u))
    .filter((word) => word.length > 2)
  const guessed = [plain, folded(withoutEnds(plain))].some(
    (text) => ownPart(once(text), mine).length < LEAST_OWN,
  )
  return guessed
    ? 'this password is among the first that attackers try: choose one that is harder to guess'
    : null
}

/** The rest of a text without everything that attackers try first. */
function ownPart(text: string, mine: readonly string[]): string {
  let left = text
  for (const word of [...mine, ...COMMON]) left = left.replaceAll(word, ' ')
  for (const row of ROWS) left = withoutRow(left, row)
  return withoutEnds(left).replace(/\s+/g, '')
}

/** Removes years, numbers and exclamation marks at the ends of words. */
function withoutEnds(text: string): string {
  return text
    .replace(/(^|\s)[\d\p{P}\p{S}]{1,8}(?=\s|$)/gu, ' ')
    .replace(/(?<![\d\p{P}\p{S}])[\d\p{P}\p{S}]{1,8}$/u, '')
}

function withoutRow(text: string, row: string): string {
  let left = ''
  for (let at = 0; at < text.length; ) {
    let length = 0
    while (at + length < text.length && row.includes(text.slice(at, at + length + 1))) length++
    left += length >= ROW_PART ? ' ' : text.slice(at, at + Math.max(1, length))
    at += Math.max(1, length)
  }
  return left
}

/** Reduces a repeated text to one repetition. */
function once(text: string): string {
  return /^(.+?)\1+(.{0,3})$/su.exec(text)?.[1] ?? text
}

function folded(text: string): string {
  return [...text].map((each) => LOOKS_LIKE[each] ?? each).join('')
}

/*
 * How many tokens a text takes in a model, estimated on the safe side without the tables of a tokenizer: ordinary text
 * takes about two thirds of the estimate, random letters and digits all of it.
 */

/** Of ASCII: how many characters of a class in a row make one token. Other characters are a class each. */
const PER_TOKEN = { letters: 3, digits: 3, lineBreaks: 8, repeated: 4 }

const LETTERS = 1
const DIGITS = 2
const SPACES = 3
const LINE_BREAKS = 4

const CLASSES = new Uint8Array(128)
for (let unit = 0; unit < 128; unit++) {
  const character = String.fromCharCode(unit)
  if (/[A-Za-z]/.test(character)) CLASSES[unit] = LETTERS
  else if (/[0-9]/.test(character)) CLASSES[unit] = DIGITS
  else if (character === ' ') CLASSES[unit] = SPACES
  else if (/[\t\r\n]/.test(character)) CLASSES[unit] = LINE_BREAKS
  // A run of one of the others is one of the same character.
  else CLASSES[unit] = 128 + unit
}

/** What a run of ASCII characters of one class takes. */
function tokensOfRun(kind: number, length: number): number {
  if (kind === LETTERS) return Math.ceil(length / PER_TOKEN.letters)
  if (kind === DIGITS) return Math.ceil(length / PER_TOKEN.digits)
  // A single space belongs to the word after it.
  if (kind === SPACES) return length > 1 ? 1 : 0
  if (kind === LINE_BREAKS) return Math.ceil(length / PER_TOKEN.lineBreaks)
  return Math.ceil(length / PER_TOKEN.repeated)
}

/** Alphabets that are common in texts; then scripts whose characters mostly are one token each, some two; then the rest. */
function tokensBeyondAscii(unit: number): number {
  if (unit < 0x700) return 1
  const isCommon =
    (unit >= 0x900 && unit < 0xf00) ||
    (unit >= 0x2000 && unit < 0x2c00) ||
    (unit >= 0x3000 && unit < 0xa000) ||
    (unit >= 0xac00 && unit < 0xd7b0) ||
    // Each half of a surrogate pair counts.
    (unit >= 0xd800 && unit < 0xe000) ||
    unit >= 0xff00
  return isCommon ? 1.5 : 3
}

export function estimateTokens(text: string): number {
  let tokens = 0
  for (let at = 0; at < text.length; ) {
    const unit = text.charCodeAt(at)
    if (unit > 127) {
      tokens += tokensBeyondAscii(unit)
      at += 1
      continue
    }
    const kind = CLASSES[unit] ?? 0
    const start = at
    do at += 1
    while (at < text.length && CLASSES[text.charCodeAt(at)] === kind)
    tokens += tokensOfRun(kind, at - start)
  }
  return Math.ceil(tokens)
}

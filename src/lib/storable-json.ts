import { invalid } from './refusal.ts'
import { withCommas } from './text.ts'

/* Limits of JSON texts from any source. */

const MAX_DEPTH = 100

/** The maximum content of a body, because parsing it must not delay other requests. */
export interface CountLimits {
  readonly members: number
  readonly values: number
}

/**
 * Limits for bodies that are written. The largest one that endpoints accept has 1,000 changes of rows with 100 fields
 * each: 106,000 members. Parsing the worst body within these limits takes 50 ms.
 */
export const WRITE_LIMITS: CountLimits = { members: 110_000, values: 200_000 }
/** Far more than a filter of 50 conditions with 500 values each, or a form of 100 fields. */
export const READ_LIMITS: CountLimits = { members: 20_000, values: 100_000 }

function parseJson(text: string, subject: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw invalid(`${subject} is not valid JSON.`, { reason: 'not_json' })
  }
}

const [QUOTE, BACKSLASH, COLON, COMMA] = [0x22, 0x5c, 0x3a, 0x2c]
const isOpening = (unit: number) => unit === 0x5b || unit === 0x7b
const isClosing = (unit: number) => unit === 0x5d || unit === 0x7d

/** The position of the closing quote of the string literal that contains `from`. */
function endOfString(json: string, from: number): number {
  for (let end = json.indexOf('"', from); end !== -1; end = json.indexOf('"', end + 1)) {
    let escapes = 0
    while (json.charCodeAt(end - 1 - escapes) === BACKSLASH) escapes += 1
    if (escapes % 2 === 0) return end
  }
  return json.length
}

/**
 * Refuses, before parsing, a text that would take long to parse, or that is nested so deeply that parsing takes
 * seconds.
 */
export function checkCounts(json: string, subject: string, most?: CountLimits): void {
  let [depth, members, values] = [0, 0, 1]
  for (let at = 0; at < json.length; at++) {
    const unit = json.charCodeAt(at)
    if (unit === QUOTE) at = endOfString(json, at + 1)
    else if (unit === COLON) members += 1
    else if (unit === COMMA) values += 1
    else if (isClosing(unit)) depth -= 1
    else if (isOpening(unit)) {
      values += 1
      if (++depth > MAX_DEPTH) throw tooDeep(subject)
    }
  }
  if (!most || (members <= most.members && values <= most.values)) return
  throw invalid(
    `${subject} holds more than ${withCommas(most.values)} values, or ${withCommas(most.members)} members of objects; split the request.`,
  )
}

/** Only escapes can produce a NUL or a lone surrogate: most bodies need no further check. */
const SUSPICIOUS_ESCAPE = /\\u(?:0000|[dD][89a-fA-F])/

/** A number can exceed the range of a double only with an exponent of three digits, or 200 digits in a row. */
const LONG_EXPONENT = /[eE]\+?\d{3}/
/** Separate, because this search is many times as fast. */
const LONG_NUMBER = /(?<!\d)\d{200}/

const tooDeep = (subject: string) => invalid(`${subject} is nested more than ${MAX_DEPTH} levels deep.`)

/** Refuses texts and numbers that cannot be stored unchanged. `what` names the value in the refusal. */
export function checkStorable(value: unknown, subject: string, depth = 0): void {
  if (typeof value === 'string') {
    if (value.includes('\0')) throw invalid(`${subject} holds a NUL character, which texts cannot contain.`)
    if (!value.isWellFormed()) throw invalid(`${subject} holds a lone surrogate, which texts cannot contain.`)
    return
  }
  if (value === Infinity || value === -Infinity)
    throw invalid(`${subject} holds a number that is out of range; send one between -1.7e308 and 1.7e308.`)
  if (typeof value !== 'object' || value === null) return
  if (depth === MAX_DEPTH) throw tooDeep(subject)
  if (Array.isArray(value)) {
    for (const item of value) checkStorable(item, subject, depth + 1)
    return
  }
  for (const [name, member] of Object.entries(value)) {
    checkStorable(name, subject)
    checkStorable(member, subject, depth + 1)
  }
}

/** Parses a JSON text. Refuses one that cannot be stored unchanged; `what` names it in the refusal. */
export function storableJson(text: string, subject: string, most?: CountLimits): unknown {
  checkCounts(text, subject, most)
  return storable(text, subject)
}

/** Parses a JSON text of which only parts will be stored. */
export function parsedJson(text: string, subject: string, most: CountLimits): unknown {
  checkCounts(text, subject, most)
  return parseJson(text, subject)
}

/** Parses a JSON text whose counts were checked. Refuses one that cannot be stored unchanged. */
export function storable(text: string, subject: string): unknown {
  const value = parseJson(text, subject)
  const isSuspicious =
    (text.includes('\\u') && SUSPICIOUS_ESCAPE.test(text)) ||
    LONG_EXPONENT.test(text) ||
    LONG_NUMBER.test(text)
  if (isSuspicious) checkStorable(value, subject)
  return value
}

/*
 * An oracle of searches, as simple as possible: a text is a sequence of words and of single characters of scripts
 * without spaces, and a condition is a sequence that must occur in it.
 */

const UNSPACED = /[\p{Script=Hangul}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}ー]/u
const SEARCHABLE = /[\p{L}\p{N}\p{M}]/u

/** A word, or one character; `joined` if the character directly follows the previous one. */
interface Unit {
  text: string
  isCharacter: boolean
  joined: boolean
}

const foldedWord = (word: string) =>
  word
    .normalize('NFD')
    .replace(/[\u0300-\u036f]/g, '')
    .normalize('NFC')
    .toLowerCase()
    .replaceAll('ς', 'σ')
    .replaceAll('ß', 'ss')

export function unitsOf(text: string): Unit[] {
  const units: Unit[] = []
  let word = ''
  let inRun = false
  const endWord = () => {
    if (word !== '') units.push({ text: foldedWord(word), isCharacter: false, joined: false })
    word = ''
  }
  for (const character of text.normalize('NFC')) {
    const isCharacter = UNSPACED.test(character)
    if (isCharacter || !SEARCHABLE.test(character)) endWord()
    else word += character
    if (isCharacter) units.push({ text: character, isCharacter, joined: inRun })
    inRun = isCharacter
  }
  endWord()
  return units
}

export interface OracleNote {
  title: string
  content: string
  tags: string[]
}

export interface Condition {
  /** The typed text, without minus, quotes and star. */
  text: string
  isQuoted: boolean
  isPrefix: boolean
  isExcluded: boolean
}

export const typed = ({ text, isQuoted, isPrefix, isExcluded }: Condition): string =>
  `${isExcluded ? '-' : ''}${isQuoted ? `"${text}"` : text}${isPrefix ? '*' : ''}`

function occursAt(units: Unit[], wanted: Unit[], at: number, isPrefix: boolean): boolean {
  return wanted.every((unit, index) => {
    const here = units[at + index]
    if (!here || here.isCharacter !== unit.isCharacter) return false
    if (index > 0 && here.joined !== unit.joined) return false
    const mayContinue = isPrefix && index === wanted.length - 1
    return mayContinue ? here.text.startsWith(unit.text) : here.text === unit.text
  })
}

function holds(note: OracleNote, { text, isPrefix }: Condition): boolean {
  const wanted = unitsOf(text)
  const [first] = wanted
  const isShort = isPrefix && first?.isCharacter === false && Array.from(first.text).length < 3
  const texts = isShort ? [note.title, ...note.tags] : [note.title, note.content, ...note.tags]
  return texts.some((each) => {
    const units = unitsOf(each)
    return units.some((_, at) => occursAt(units, wanted, at, isPrefix))
  })
}

/** Whether the note matches these conditions. Without a condition other than exclusions, no note matches. */
export const isFound = (note: OracleNote, conditions: readonly Condition[]): boolean =>
  conditions.some(({ isExcluded }) => !isExcluded) &&
  conditions.every((condition) => holds(note, condition) !== condition.isExcluded)

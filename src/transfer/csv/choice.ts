import { refused } from '../../lib/refusal.ts'
import { fold, quoteList } from '../../lib/text.ts'

const NUMBERS = /^(\d{1,6})(?:-(\d{1,6}))?$/

/**
 * The places of the columns that a list names, such as `1-20,Amount`: by heading, ignoring case, by number from 1, or
 * as a range of numbers. Refuses an unknown or repeated one.
 */
export function chosenColumns(list: string, header: readonly string[]): number[] {
  const places = list.split(',').flatMap((part) => placesOf(part.trim(), header))
  const repeated = places.find((place, at) => places.indexOf(place) < at)
  if (repeated === undefined) return places
  throw refused(`--columns names the column ${repeated + 1} ("${header[repeated]}") twice; name it once.`)
}

function placesOf(part: string, header: readonly string[]): number[] {
  const named = header.findIndex((heading) => fold(heading) === fold(part))
  if (named >= 0) return [named]
  const [, first, last = first] = NUMBERS.exec(part) ?? []
  const [from, to] = [Number(first), Number(last)]
  if (first !== undefined && from >= 1 && from <= to && to <= header.length)
    return Array.from({ length: to - from + 1 }, (_, at) => from - 1 + at)
  throw refused(`--columns names "${part}", and the file has ${header.length} columns: ${quoteList(header)}.`)
}

import { afterAll, beforeAll, expect, test } from 'bun:test'
import { makeNote, titlesFound } from '../support/notes.ts'
import { startService, type TestService } from '../support/service.ts'

let service: TestService
beforeAll(async () => {
  service = await startService()
  for (const [title, content, tags] of NOTES) await makeNote(service, { title, content, tags })
})
afterAll(() => service.close())

const NOTES: [title: string, content: string, tags: string[]][] = [
  ['languages', 'Written in C++, later C# and F#; runs on .NET.', []],
  ['plain C', 'The language C on the net, see example.net', []],
  ['party 🎉', 'Thumbs 👍🏽, a family 👨‍👩‍👧, a flag 🇩🇪', ['⚠️ urgent']],
  ['arrows', 'a → b costs 5€ or $6', []],
  ['marks', '| a | b |\n| --- | --- |\n`x` = ~~y~~ ^z +', []],
  ['한국어 문법', '학교에서 공부를 합니다', []],
  ['Łódź', 'Straße, œuvre, Ærø, Đorđe, Malmø', []],
  ['Lodz', 'Strasse, oeuvre, Aero, Dorde, Malmo', []],
]

const SEARCHES: [search: string, titles: string[]][] = [
  ['c++', ['languages']],
  ['C#', ['languages']],
  ['f#', ['languages']],
  ['.net', ['languages']],
  ['"C++ later"', ['languages']],
  ['c', ['plain C']],
  ['net', ['plain C']],
  ['c -c++', ['plain C']],
  ['🎉', ['party 🎉']],
  ['👍', ['party 🎉']],
  ['👨‍👩‍👧', ['party 🎉']],
  ['👨', []],
  ['🇩🇪', ['party 🎉']],
  ['🇩🇰', []],
  ['⚠', ['party 🎉']],
  ['party🎉', ['party 🎉']],
  ['→', ['arrows']],
  ['"a → b"', ['arrows']],
  ['5€', ['arrows']],
  ['$', ['arrows']],
  ['costs -→', []],
  ['|', []],
  ['+ = ~ ^ `', []],
  ['학교', ['한국어 문법']],
  ['공부', ['한국어 문법']],
  ['한국', ['한국어 문법']],
  ['lodz', ['Lodz', 'Łódź']],
  ['łódź', ['Lodz', 'Łódź']],
  ['strasse', ['Lodz', 'Łódź']],
  ['straße', ['Lodz', 'Łódź']],
  ['oeuvre', ['Lodz', 'Łódź']],
  ['ærø', ['Lodz', 'Łódź']],
  ['đorđe malmø', ['Lodz', 'Łódź']],
]

test.each(SEARCHES)('finds signs, symbols, Korean words and base letters: %s', async (search, titles) => {
  expect((await titlesFound(service, search)).sort()).toEqual(titles)
})

test('marks the text as it is written', async () => {
  const snippetOf = async (search: string) =>
    (await service.get(`/v1/notes?search=${encodeURIComponent(search)}&sort=title`)).body.notes.at(-1).snippet
  expect(await snippetOf('strasse')).toContain('<mark>Straße</mark>')
  expect(await snippetOf('c++')).toContain('in <mark>C++</mark>, later')
  expect(await snippetOf('.NET')).toContain('<mark>.NET</mark>')
  expect(await snippetOf('→')).toContain('a <mark>→</mark> b')
  expect(await snippetOf('👍')).toContain('<mark>👍🏽</mark>')
  expect(await snippetOf('학교')).toContain('<mark>학교</mark>에서')
})

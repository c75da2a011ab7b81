import { expect, test } from 'bun:test'
import {
  readDay,
  readMoment,
  readNumber,
  readTime,
  type TypedContext,
} from '../../src/web/data/typed-values.ts'

/** Wednesday, 25 November 2026. */
const context: TypedContext = {
  dates: 'en-US',
  numbers: 'en-US',
  weekStart: 1,
  now: new Date(2026, 10, 25, 10, 30),
}
const [GERMAN, BRITISH, FRENCH] = ['de-DE', 'en-GB', 'fr-FR']

const DAYS: readonly (readonly [typed: string, day: string | undefined, dates?: string | undefined])[] = [
  ['today', '2026-11-25'],
  ['Tomorrow', '2026-11-26'],
  ['yesterday', '2026-11-24'],
  ['morgen', '2026-11-26', GERMAN],
  ['tomorrow', '2026-11-26', GERMAN],
  ['demain', '2026-11-26', FRENCH],
  ['fri', '2026-11-27'],
  ['wednesday', '2026-11-25'],
  ['mon', '2026-11-30'],
  ['next fri', '2026-12-04'],
  ['Next Friday', '2026-12-04'],
  ['last fri', '2026-11-20'],
  ['last wed', '2026-11-18'],
  ['Freitag', '2026-11-27', GERMAN],
  ['t', undefined],
  ['in 3 days', '2026-11-28'],
  ['in 2 weeks', '2026-12-09'],
  ['in 1 month', '2026-12-25'],
  ['3 days ago', '2026-11-22'],
  ['next week', '2026-12-02'],
  ['next month', '2026-12-25'],
  ['3 dec', '2026-12-03'],
  ['dec 3', '2026-12-03'],
  ['3. Dez.', '2026-12-03', GERMAN],
  ['3. März 2027', '2027-03-03', GERMAN],
  ['3 déc. 2026', '2026-12-03', FRENCH],
  ['Dec 3, 2027', '2027-12-03'],
  ['December 3rd, 2027', '2027-12-03'],
  ['Nov 29, 2026', '2026-11-29'],
  ['2026 nov 29', '2026-11-29'],
  ['30 feb', undefined],
  ['ma 3', undefined],
  ['2026-12-03', '2026-12-03'],
  ['2026-2-30', undefined],
  ['12/3', '2026-12-03'],
  ['12/3', '2026-03-12', BRITISH],
  ['3.12.', '2026-12-03', GERMAN],
  ['3.12.26', '2026-12-03', GERMAN],
  ['3.12.2026', '2026-12-03', GERMAN],
  ['12/31/2026', '2026-12-31', BRITISH],
  ['31/12/2026', '2026-12-31'],
  ['13/13/2026', undefined],
  ['soon', undefined],
  ['', undefined],
]

test.each(DAYS)('the day %p is %p in the language %p', (typed, day, dates = context.dates) => {
  expect(readDay(typed, { ...context, dates })).toBe(day)
})

test('the week of "next" begins on the day of the preferences', () => {
  const sunday = { ...context, now: new Date(2026, 10, 29) }
  expect(readDay('next fri', sunday)).toBe('2026-12-04')
  expect(readDay('next fri', { ...sunday, weekStart: 0 })).toBe('2026-12-11')
})

const TIMES: readonly (readonly [string, string | undefined])[] = [
  ['9:30', '09:30'],
  ['12.30', '12:30'],
  ['9am', '09:00'],
  ['9:30 pm', '21:30'],
  ['12 am', '00:00'],
  ['12 p.m.', '12:00'],
  ['18h', '18:00'],
  ['noon', '12:00'],
  ['9:30:15', '09:30:15'],
  ['25:00', undefined],
  ['9:75', undefined],
  ['13pm', undefined],
  ['9', undefined],
]

test.each(TIMES)('the time %p is %p', (typed, time) => expect(readTime(typed)).toBe(time))

const MOMENTS: readonly (readonly [string, string | undefined])[] = [
  ['tomorrow 9am', '2026-11-26 09:00'],
  ['3 dec 12:30', '2026-12-03 12:30'],
  ['Dec 3, 2026, 9:30 PM', '2026-12-03 21:30'],
  ['next fri at 14:00', '2026-12-04 14:00'],
  ['12/3 9.15', '2026-12-03 09:15'],
  ['2026-12-03T08:00', '2026-12-03 08:00'],
  ['14:00', '2026-11-25 14:00'],
  ['tomorrow', '2026-11-26 00:00'],
  ['tomorrow at dawn', undefined],
]

test.each(MOMENTS)('the moment %p is %p', (typed, moment) => expect(readMoment(typed, context)).toBe(moment))

const NUMBERS: readonly (readonly [string, number | undefined, string?])[] = [
  ['12', 12],
  ['-4.5', -4.5],
  ['12.30', 12.3],
  ['12,30', 12.3],
  ['1,200', 1200],
  ['1,200.50', 1200.5],
  ['1.200,50', 1200.5],
  ['1,200,300', 1200300],
  ['1,20,300', undefined],
  ['1.234', 1.234],
  ['1.234', 1234, GERMAN],
  ['1,234', 1.234, GERMAN],
  ['12.30', 12.3, GERMAN],
  ['1 200,50', 1200.5, FRENCH],
  ["1'200.50", 1200.5],
  ['$1,200.50', 1200.5],
  ['1.200 €', 1200, GERMAN],
  ['12.5 %', 0.125],
  ['.5', 0.5],
  ['1e3', 1000],
  ['−3', -3],
  ['1,2.3,4', undefined],
  ['12 apples', undefined],
  ['', undefined],
]

test.each(NUMBERS)('the number %p is %p in the language %p', (typed, number, numbers = context.numbers) => {
  expect(readNumber(typed, { numbers })).toBe(number as number)
})

import { expect, test } from 'bun:test'
import { BadSetting, readConfig } from '../../src/config.ts'

const read = (...origins: string[]) => readConfig({}, { 'cors-origin': origins }).corsOrigins

test('--cors-origin takes origins of pages, applications and browser extensions as a browser sends them', () => {
  const origins = [
    'https://app.example.com',
    'http://localhost:3000',
    'http://[::1]:3000',
    'chrome-extension://nmmhkkegccagdldgiimedpiccmgmieda',
    'capacitor://localhost',
    'app://obsidian.md',
  ]
  expect(read(...origins)).toEqual(origins)
})

test.each([
  '*',
  'null',
  '',
  'app.example.com',
  'https://app.example.com/',
  'https://APP.example.com',
  'https://app.example.com:443',
  'https://user@app.example.com',
  'app://obsidian.md/page',
  'app://',
])('--cors-origin refuses %p, which no browser sends', (origin) => {
  expect(() => read(origin)).toThrow(BadSetting)
})

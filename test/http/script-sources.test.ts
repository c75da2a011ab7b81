import { describe, expect, test } from 'bun:test'
import { scriptSources } from '../../src/http/browser/script-sources.ts'

const sources = (host: string, ...publicUrls: string[]) =>
  scriptSources(new Request('http://localhost', { headers: { host } }), publicUrls, '/app/assets')

describe('the code that a page of this server may load', () => {
  test.each([
    ['under the name of the request', 'localhost:8787', [], 'localhost:8787/app/assets/'],
    ['under the loopback address', '127.0.0.1:8787', [], '127.0.0.1:8787/app/assets/'],
    ['under a public name', 'Notes.example.com', [], 'notes.example.com/app/assets/'],
    [
      'behind a proxy that sends its own name on',
      'localhost:8787',
      ['https://notes.example.com:8443'],
      'localhost:8787/app/assets/ notes.example.com:8443/app/assets/',
    ],
    [
      'behind a proxy that sends the name on',
      'notes.example.com',
      ['https://notes.example.com'],
      'notes.example.com/app/assets/',
    ],
    ['under an address that no policy can name', '192.168.1.5:8787', [], "'self'"],
    ['under an address of the new kind', '[::1]:8787', [], "'self'"],
    ['under what is no name', "localhost; script-src 'unsafe-inline'", [], "'self'"],
  ] as const)('%s', (_, host, publicUrls, expected) => {
    expect(sources(host, ...publicUrls)).toBe(expected)
  })
})

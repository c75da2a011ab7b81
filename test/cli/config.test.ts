import { describe, expect, test } from 'bun:test'
import { readConfig } from '../../src/config.ts'
import { BadSetting } from '../../src/lib/settings.ts'
import { newFolder } from '../support/process.ts'

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

describe('the provider', () => {
  const folder = newFolder()
  const secret = folder.file('secret')
  const read = (flags: object) =>
    readConfig(
      {},
      {
        'public-url': ['https://daybook.example.com'],
        'oidc-issuer': 'https://id.example.com',
        'oidc-client-id': 'daybook',
        'oidc-client-secret-file': secret,
        ...flags,
      },
    ).oidc

  test('has its settings, and a secret without the line break of its file', async () => {
    await Bun.write(secret, 's+cret\n')
    const roles = [
      { value: 'urn:x:admins', role: 'owner' },
      { value: 'all staff', role: 'editor' },
    ]
    const roleClaim = { claim: 'groups', roles, workspace: 'Studio' }
    expect(
      read({ 'oidc-role-claim': 'groups=urn:x:admins:owner,all staff:editor', 'oidc-workspace': 'Studio' }),
    ).toMatchObject({ clientSecret: 's+cret', name: 'Sign in with id.example.com', roleClaim })
    expect(read({ 'oidc-issuer': 'http://127.0.0.1:9000' })).toMatchObject({
      issuer: 'http://127.0.0.1:9000',
    })
    expect(readConfig({}).oidc).toBeUndefined()
  })

  test.each([
    { 'oidc-issuer': 'http://id.example.com' },
    { 'oidc-issuer': 'http://localhost.example.com' },
    { 'oidc-issuer': 'id.example.com' },
    { 'oidc-issuer': 'https://id.example.com?x=1' },
    { 'oidc-issuer': undefined },
    { 'oidc-client-id': undefined },
    { 'oidc-client-secret-file': undefined },
    { 'oidc-client-secret-file': folder.file('none') },
    { 'public-url': [] },
    { 'oidc-role-claim': 'groups' },
    { 'oidc-role-claim': 'groups=admins' },
    { 'oidc-role-claim': 'groups=admins:boss' },
    { 'oidc-role-claim': 'groups=admins:owner,' },
    { 'oidc-workspace': 'Studio' },
    { 'oidc-ca': folder.file('none') },
  ])('refuses %p', (flags) => {
    expect(() => read(flags)).toThrow(BadSetting)
  })
})

import { nullableText } from './types.ts'

/*
 * How an object looks in an application; the same kinds wherever an object has them (contract, section 1).
 */

export const color = () =>
  nullableText({ pattern: '^#[0-9A-Fa-f]{6}$', says: 'a colour such as #1E90FF', examples: ['#1E90FF'] })

export const icon = () => nullableText({ minLength: 1, maxLength: 100, singleLine: true, examples: ['book'] })

const isWebUrl = (value: string) => /^https?:\/\//i.test(value) && URL.canParse(value)

export const coverUrl = () =>
  nullableText({
    maxLength: 2_048,
    singleLine: true,
    check: isWebUrl,
    says: 'an http or https URL of at most 2,048 characters',
    examples: ['https://example.com/cover.png'],
  })

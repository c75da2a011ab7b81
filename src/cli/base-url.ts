import { WrongUsage } from './command.ts'

/** The address of a daybook in a flag. A value that is refused is not repeated in the message: it may contain a password. */
export function checkedBaseUrl(text: string): string {
  const isBase = URL.canParse(text) && /^https?:\/\/[^@?#]+$/i.test(text)
  if (!isBase) throw new WrongUsage('--url must be the address of a daybook, such as http://127.0.0.1:8787.')
  return text.replace(/\/+$/, '')
}

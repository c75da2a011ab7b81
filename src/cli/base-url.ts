import { WrongUsage } from './command.ts'

/**
 * The address of a daybook, without a slash at its end; `name` is how the help calls it. A value that is refused is not
 * repeated in the message: it may contain a password.
 */
export function checkedBaseUrl(text: string, name = '--url'): string {
  const isBase = URL.canParse(text) && /^https?:\/\/[^@?#]+$/i.test(text)
  if (!isBase)
    throw new WrongUsage(`${name} must be the address of a daybook, such as http://127.0.0.1:8787.`)
  return text.replace(/(?<!\/)\/+$/, '')
}

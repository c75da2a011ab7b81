import { type Answer, status } from '../../test/support/receiver.ts'

/** How a receiver answers for a while. */
export interface Mood {
  readonly name: string
  readonly answer: Answer
  /** Whether what it answers is a 2xx in time. */
  readonly takes: boolean
}

const SLOW_MS = 1_500

export const GOOD: Mood = { name: 'answers well', answer: status(200), takes: true }

export const BAD_MOODS: readonly Mood[] = [
  { name: 'answers 500', answer: status(500), takes: false },
  { name: 'redirects', answer: status(302, '', 'Location: /elsewhere\r\n'), takes: false },
  { name: 'hangs', answer: () => {}, takes: false },
  { name: 'dies', answer: (_received, socket) => socket.destroy(), takes: false },
  {
    name: 'answers nonsense',
    answer: (_received, socket) => socket.end('This is no HTTP.\r\n\r\n'),
    takes: false,
  },
  {
    name: 'answers slowly',
    answer: (received, socket) => void setTimeout(() => GOOD.answer(received, socket), SLOW_MS),
    takes: true,
  },
]

import { randomSource } from './random.ts'
import type { Answer } from './service.ts'

/*
 * Checks whether a history of calls is linearizable: each call seems to take effect at one moment between its begin and
 * its end. Uses the search of Wing and Gong, and skips states that were already reached.
 */

/**
 * A request and its effect: the state after its response, or undefined if the response is impossible in the state
 * before.
 */
export interface Operation<State> {
  readonly text: string
  send(): Promise<Answer>
  /**
   * `answer` is undefined when no response came. The request then takes effect at some moment after its begin, or
   * never.
   */
  after(answer: Answer | undefined, state: State): State | undefined
}

interface Call<State> {
  readonly begin: number
  readonly end: number
  readonly text: string
  apply(state: State): State | undefined
}

const NEVER = Number.POSITIVE_INFINITY

const isRefused = (error: unknown) => (error as NodeJS.ErrnoException).code === 'ConnectionRefused'

const shortened = (text: string) => (text.length > 300 ? `${text.slice(0, 200)} … ${text.slice(-60)}` : text)

async function call<State>(operation: Operation<State>): Promise<Call<State>> {
  const { text, send, after } = operation
  const begin = performance.now()
  let answer: Answer | undefined
  try {
    answer = await send()
  } catch (error) {
    // A server that has not restarted yet received nothing.
    if (isRefused(error)) return Bun.sleep(10).then(() => call(operation))
  }
  const shown = answer ? `${answer.status} ${shortened(JSON.stringify(answer.body))}` : 'no response'
  return {
    begin,
    end: answer ? performance.now() : NEVER,
    text: `${text} → ${shown}`,
    apply: (state) => after(answer, state),
  }
}

export interface HistoryOptions<State> {
  readonly initial: State
  readonly seed: number
  /** Returns the operations of one client, each chosen after the response to the previous one. */
  client(random: (below: number) => number, name: string): () => Operation<State>
  readonly clients?: number
  readonly callsOfEach?: number
}

/** Runs concurrent clients; returns the history if it is not linearizable, otherwise an empty text. */
export async function contradictionIn<State>(options: HistoryOptions<State>): Promise<string> {
  const { initial, seed, client, clients = 5, callsOfEach = 7 } = options
  const calls: Call<State>[] = []
  const runClient = async (number: number): Promise<void> => {
    const next = client(randomSource(seed * 7_919 + number * 104_729), `${seed}.${number}`)
    for (let count = 0; count < callsOfEach; count++) calls.push(await call(next()))
  }
  await Promise.all(Array.from({ length: clients }, (_, number) => runClient(number)))
  if (isLinearizable(calls, initial)) return ''
  const shown = calls
    .toSorted((left, right) => left.begin - right.begin)
    .map(({ begin, end, text }) => `${begin.toFixed(1)} to ${end.toFixed(1)}: ${text}`)
  return [`seed ${seed} from ${JSON.stringify(initial)}`, ...shown].join('\n')
}

export function isLinearizable<State>(calls: readonly Call<State>[], initial: State): boolean {
  const seen = new Set<string>()
  const search = (left: readonly Call<State>[], state: State): boolean => {
    if (left.every(({ end }) => end === NEVER)) return true
    const reached = `${left.map((one) => calls.indexOf(one))} ${JSON.stringify(state)}`
    if (seen.has(reached)) return false
    seen.add(reached)
    const firstEnd = Math.min(...left.map(({ end }) => end))
    return left.some((one) => {
      const next = one.begin < firstEnd ? one.apply(state) : undefined
      return (
        next !== undefined &&
        search(
          left.filter((other) => other !== one),
          next,
        )
      )
    })
  }
  return search(calls, initial)
}

const streamed = new WeakSet<Response>()

/** Notes that the body of a response is written while it is sent. */
export function markStreamed(response: Response): Response {
  streamed.add(response)
  return response
}

/** Whether the body of a response is written while it is sent, so that its length is not known before. */
export const isStreamed = (response: Response): boolean => streamed.has(response)

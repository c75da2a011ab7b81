const STREAMED = Symbol('streamed')

/** A response whose body is generated while it is sent. */
export const streamedResponse = (body: ReadableStream, init: ResponseInit): Response =>
  Object.assign(new Response(body, init), { [STREAMED]: true })

/** Whether the body of a response is generated while it is sent, so that its length is not known in advance. */
export const isStreamed = (response: Response): boolean => STREAMED in response

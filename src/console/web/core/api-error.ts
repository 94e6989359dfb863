// A refusal of the server, with its message.
export interface Detail {
  readonly path?: string
  readonly message: string
}

export class ApiError extends Error {
  readonly status: number
  readonly code: string
  readonly details: readonly Detail[]
  readonly requestId: string | undefined
  readonly retryAfterSeconds: number | undefined

  constructor(options: {
    status: number
    code: string
    message: string
    details?: readonly Detail[] | undefined
    requestId?: string | undefined
    retryAfterSeconds?: number | undefined
  }) {
    super(options.message)
    this.status = options.status
    this.code = options.code
    this.details = options.details ?? []
    this.requestId = options.requestId
    this.retryAfterSeconds = options.retryAfterSeconds
  }

  /** Whether it says what is wrong with fields. What the provider answered is of none. */
  get isOfFields(): boolean {
    return this.details.some(({ path }) => !path?.startsWith('provider.'))
  }

  /** The message for one field of the body. */
  of(path: string): string | undefined {
    return this.details.find((detail) => detail.path === path || detail.path?.startsWith(`${path}.`))?.message
  }
}

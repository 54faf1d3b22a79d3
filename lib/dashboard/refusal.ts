/** Why a request goes no further: for the member, who may mend it. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly status: number;
  /** What the page is called. */
  readonly title: string;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, title: string, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message);
    this.status = status;
    this.title = title;
    this.headers = headers;
  }
}

export function badRequest(message: string): Refusal {
  return new Refusal(400, 'Not understood', message);
}

/** One page for what is not there, whatever was asked for. */
export function notFound(): Refusal {
  return new Refusal(
    404,
    'Not found',
    'There is nothing here. It may have been moved, or it belongs to somebody else.',
  );
}

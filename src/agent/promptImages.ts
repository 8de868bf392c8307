/** An image that goes with a prompt. */
export interface PromptImage {
  readonly mediaType: string;
  readonly bytes: Uint8Array;
}

/** Bytes of one image: 5 MB in base64, which is what the model's API takes. */
export const maxImage = 3_750_000;

export interface ImageSum {
  readonly count: number;
  readonly bytes: number;
}

/** Of a conversation: the API takes 32 MB and 100 images in a request, which has all that was said before in it, too. */
export const maxImages: ImageSum = { count: 100, bytes: 22_500_000 };
export const noImages: ImageSum = { count: 0, bytes: 0 };

export function withImages({ count, bytes }: ImageSum, images: readonly PromptImage[]): ImageSum {
  return {
    count: count + images.length,
    bytes: images.reduce((sum, image) => sum + image.bytes.length, bytes),
  };
}

/** By what files of each begin with: the API takes none under another name. */
const beginnings: readonly (readonly [mediaType: string, begins: RegExp])[] = [
  ['image/png', /^\x89PNG\r\n\x1a\n/],
  ['image/jpeg', /^\xff\xd8\xff/],
  ['image/gif', /^GIF8[79]a/],
  ['image/webp', /^RIFF[^]{4}WEBP/],
];

/** @returns undefined for what the model's API does not take as an image */
export function imageOf(bytes: Uint8Array): PromptImage | undefined {
  const head = Buffer.from(bytes.subarray(0, 12)).toString('latin1');
  const mediaType = beginnings.find(([, begins]) => begins.test(head))?.[0];
  return mediaType === undefined ? undefined : { mediaType, bytes };
}

/** As the Messages API has it. */
export function imageBlock({ mediaType, bytes }: PromptImage): object {
  return {
    type: 'image',
    source: { type: 'base64', media_type: mediaType, data: Buffer.from(bytes).toString('base64') },
  };
}

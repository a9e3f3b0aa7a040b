// Creates the bucket of S3_BUCKET on the server of S3_ENDPOINT, unless it is there.
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';

const { S3_BUCKET: Bucket, S3_ENDPOINT: endpoint } = process.env;
const client = new S3Client({ endpoint, region: 'us-east-1', forcePathStyle: true });
try {
	await client.send(new CreateBucketCommand({ Bucket }));
	console.log(`The bucket ${Bucket} was created.`);
} catch (error) {
	if (!/^Bucket(?:AlreadyExists|AlreadyOwnedByYou)$/.test(error.name)) throw error;
	console.log(`The bucket ${Bucket} is there.`);
}

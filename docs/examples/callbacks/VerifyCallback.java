import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.function.UnaryOperator;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

public final class VerifyCallback {
  private static final long TOLERANCE_SECONDS = 300;

  /**
   * True when one of the secrets has signed the message. header is request::getHeader, or another that gives null for one that
   * is absent; body is the bytes as they came.
   */
  public static boolean isFromDespatch(
      UnaryOperator<String> header, byte[] body, List<String> secrets, Instant now)
      throws GeneralSecurityException {
    String id = header.apply("webhook-id");
    String sentAt = header.apply("webhook-timestamp");
    String given = header.apply("webhook-signature");
    if (id == null || id.isEmpty() || given == null) return false;
    if (sentAt == null || !sentAt.matches("[0-9]{1,12}")) return false;
    if (Math.abs(now.getEpochSecond() - Long.parseLong(sentAt)) > TOLERANCE_SECONDS) return false;

    boolean isSigned = false;
    for (String secret : secrets) {
      byte[] expected = sign(secret, id + "." + sentAt + ".", body);
      for (String other : given.split(" ")) {
        // isEqual does not tell by its time how much of a guess was right
        isSigned |= MessageDigest.isEqual(expected, other.getBytes(StandardCharsets.UTF_8));
      }
    }
    return isSigned;
  }

  private static byte[] sign(String secret, String before, byte[] body)
      throws GeneralSecurityException {
    Mac mac = Mac.getInstance("HmacSHA256");
    // an empty secret is an IllegalArgumentException here
    mac.init(new SecretKeySpec(Base64.getDecoder().decode(secret.replaceFirst("^whsec_", "")), "HmacSHA256"));
    mac.update(before.getBytes(StandardCharsets.UTF_8));
    String signature = Base64.getEncoder().encodeToString(mac.doFinal(body));
    return ("v1," + signature).getBytes(StandardCharsets.UTF_8);
  }
}
